#include "grow/pack.h"

#include <cmath>
#include <vector>

#include "shared/multiversion.h"
#include "shared/pool.h"

namespace ocelot {
namespace {

constexpr std::size_t block_size = 4096;
constexpr double field_limit = 2147483647.0;
constexpr double coarse = 2048.0;  // units in a mean field below which rounding is dithered
// With weights of up to this many copies no rounding is dithered, so that copies round alike.
constexpr double most_copies = field_limit / (4 * coarse);

OCELOT_HOT double absolute_sum(const float* values, const float* weights, std::size_t n) {
  double lanes[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (std::size_t k = 0; k < 8; ++k) {
      const double w = weights ? weights[i + k] : 1.0f;
      lanes[k] += std::fabs(double(values ? values[i + k] : 1.0f) * w);
    }
  }
  double sum = 0;
  for (; i < n; ++i) {
    sum += std::fabs(double(values ? values[i] : 1.0f) * double(weights ? weights[i] : 1.0f));
  }
  for (const double lane : lanes) sum += lane;
  return sum;
}

// The smallest power of two for which sum / unit fits even if every rounding adds one.
double choose_unit(double sum, double n_roundings) {
  const double room = field_limit - n_roundings;
  if (!(sum > 0)) return 1.0;
  double unit = std::exp2(std::ceil(std::log2(sum / room)));
  while (sum / unit > room) unit *= 2;
  return unit;
}

// A number in [0, 1) that is spread evenly over the rows.
OCELOT_INLINE double dither(std::size_t row) {
  return double(std::int32_t((std::uint32_t(row) * 2654435769u) >> 1)) * (1.0 / 2147483648.0);
}

// Rounds half up: floor(x + 0.5), or with an even dither floor(x + dither).
OCELOT_HOT void quantize_field(const float* values, const float* weights, bool exact, bool dithered,
                               double inverse_unit, std::size_t begin, std::size_t n,
                               std::int32_t* out) {
  for (std::size_t i = 0; i < n; ++i) {
    const double value = values ? values[begin + i] : 1.0f;
    const double weight = weights ? weights[begin + i] : 1.0f;
    const double shift = dithered ? dither(begin + i) : 0.5;
    const double scaled = (exact ? value : value * weight) * inverse_unit;
    const double rounded = std::floor(scaled + shift);
    out[i] = std::int32_t(exact ? rounded * weight : rounded);
  }
}

void scatter(const std::int32_t* high, const std::int32_t* low, const std::uint32_t* rows,
             std::size_t n, std::size_t words, std::int64_t* out) {
  for (std::size_t i = 0; i < n; ++i) {
    out[rows[i] * words] = std::int64_t(high[i]) * (std::int64_t{1} << 32) + low[i];
  }
}

OCELOT_HOT void combine(const std::int32_t* high, const std::int32_t* low, std::size_t n,
                        std::size_t words, std::int64_t* out) {
  for (std::size_t i = 0; i < n; ++i) {
    out[i * words] = std::int64_t(high[i]) * (std::int64_t{1} << 32) + low[i];
  }
}

}  // namespace

void pack_gradients(const float* gradients, const float* weights, bool whole_weights,
                    const std::uint32_t* rows, std::size_t n_outputs, std::size_t n_rows,
                    std::size_t n_chunks, std::size_t words, std::int64_t* out_packed,
                    double* out_units, int n_threads) {
  const std::size_t n_fields = n_outputs + 1;
  const std::size_t n_blocks = (n_rows + block_size - 1) / block_size;
  const auto field_values = [&](std::size_t f) {
    return f < n_outputs ? gradients + f * n_rows : nullptr;
  };
  std::vector<double> sums(n_fields * n_blocks);
  parallel_blocks(
      n_rows, block_size, n_threads, [&](std::size_t begin, std::size_t end, std::size_t block) {
        for (std::size_t f = 0; f < n_fields; ++f) {
          const float* values = field_values(f);
          sums[f * n_blocks + block] = absolute_sum(
              values ? values + begin : nullptr, weights ? weights + begin : nullptr, end - begin);
        }
      });
  const auto total = [&](std::size_t f) {
    double sum = 0;
    for (std::size_t block = 0; block < n_blocks; ++block) sum += sums[f * n_blocks + block];
    return sum;
  };
  const double total_weight = total(n_outputs);
  const bool exact = whole_weights && total_weight < (weights ? most_copies : field_limit / 2);
  const double n_roundings = exact ? total_weight : double(n_rows);
  std::vector<std::uint8_t> dithered(n_fields, 0);
  for (std::size_t f = 0; f < n_fields; ++f) {
    const double sum = total(f);
    const bool counts = exact && f == n_outputs;
    out_units[f] = counts ? 1.0 : choose_unit(sum, n_roundings);
    dithered[f] = !counts && sum < coarse * n_roundings * out_units[f];
  }
  parallel_blocks(
      n_rows, block_size, n_threads, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::int32_t high[block_size], low[block_size];
        const std::size_t n = end - begin;
        const auto fill = [&](std::size_t f, std::int32_t* out) {
          if (f < n_fields) {
            quantize_field(field_values(f), weights, exact, dithered[f], 1.0 / out_units[f], begin,
                           n, out);
          } else {
            for (std::size_t i = 0; i < n; ++i) out[i] = 0;
          }
        };
        for (std::size_t word = 0; word < n_chunks * words; ++word) {
          fill(2 * word, high);
          fill(2 * word + 1, low);
          std::int64_t* out = out_packed + (word / words) * n_rows * words + word % words;
          if (rows) {
            scatter(high, low, rows + begin, n, words, out);
          } else {
            combine(high, low, n, words, out + begin * words);
          }
        }
      });
}

}  // namespace ocelot
