#include "grow/pack.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "shared/multiversion.h"
#include "shared/pool.h"

namespace ocelot {
namespace {

constexpr std::size_t block_size = 4096;
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

// A number in [0, 1) that is spread evenly over the rows.
OCELOT_INLINE double dither(std::size_t row) {
  return double(std::int32_t((std::uint32_t(row) * 2654435769u) >> 1)) * (1.0 / 2147483648.0);
}

// The rows of a field: the number of row i is rows[i], or first + i without a list.
struct FieldRows {
  const std::uint32_t* rows;
  std::size_t first, first_place, n;
};

// Rounds half up: floor(x + 0.5), or with an even dither floor(x + dither). What does not change
// from row to row is a template argument: the loops have no branches, and become vectors.
template <bool weighted, bool exact, bool dithered, bool listed>
OCELOT_INLINE void round_field(const float* values, const float* weights, double inverse_unit,
                               const FieldRows& rows, std::int32_t* out) {
  for (std::size_t i = 0; i < rows.n; ++i) {
    const double value = values[i], weight = weighted ? weights[i] : 1.0f;
    const std::size_t row = listed ? std::size_t(rows.rows[i]) : rows.first + i;
    const double shift = dithered ? dither(rows.first_place + row) : 0.5;
    const double scaled = (exact ? value : value * weight) * inverse_unit;
    const double rounded = std::floor(scaled + shift);
    out[i] = std::int32_t(exact ? rounded * weight : rounded);
  }
}

template <bool weighted, bool exact>
OCELOT_INLINE void round_any(const float* values, const float* weights, bool dithered,
                             double inverse_unit, const FieldRows& rows, std::int32_t* out) {
  if (!dithered) {
    round_field<weighted, exact, false, false>(values, weights, inverse_unit, rows, out);
  } else if (rows.rows) {
    round_field<weighted, exact, true, true>(values, weights, inverse_unit, rows, out);
  } else {
    round_field<weighted, exact, true, false>(values, weights, inverse_unit, rows, out);
  }
}

// Without values the field is the weight itself; without weights all weigh 1.
OCELOT_HOT void quantize_field(const float* values, const float* weights, bool exact, bool dithered,
                               double inverse_unit, const FieldRows& rows, std::int32_t* out) {
  if (!values && exact) {
    for (std::size_t i = 0; i < rows.n; ++i) out[i] = weights ? std::int32_t(weights[i]) : 1;
  } else if (!values && !weights) {
    float ones[block_size];
    std::fill(ones, ones + rows.n, 1.0f);
    round_any<false, false>(ones, nullptr, dithered, inverse_unit, rows, out);
  } else if (!values) {
    round_any<false, false>(weights, nullptr, dithered, inverse_unit, rows, out);
  } else if (!weights) {
    round_any<false, false>(values, nullptr, dithered, inverse_unit, rows, out);
  } else if (exact) {
    round_any<true, true>(values, weights, dithered, inverse_unit, rows, out);
  } else {
    round_any<true, false>(values, weights, dithered, inverse_unit, rows, out);
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

void absolute_sums(const Fields& fields, double* out, int n_threads) {
  const std::size_t n_fields = fields.n_fields();
  const std::size_t n_blocks = (fields.n_rows + block_size - 1) / block_size;
  std::vector<double> partial(n_fields * n_blocks);
  parallel_blocks(fields.n_rows, block_size, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t block) {
                    for (std::size_t f = 0; f < n_fields; ++f) {
                      const float* values = fields.of(f);
                      partial[f * n_blocks + block] = absolute_sum(
                          values ? values + begin : nullptr,
                          fields.weights ? fields.weights + begin : nullptr, end - begin);
                    }
                  });
  for (std::size_t f = 0; f < n_fields; ++f) {
    out[f] = std::accumulate(&partial[f * n_blocks], &partial[f * n_blocks] + n_blocks, 0.0);
  }
}

void pack_gradients(const Fields& fields, const Rounding& rounding, const std::uint32_t* rows,
                    std::size_t first_row, const PackedRows& out, int n_threads) {
  parallel_blocks(fields.n_rows, block_size, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    std::int32_t high[block_size], low[block_size];
                    const std::size_t n = end - begin, first = first_row + begin;
                    const std::uint32_t* const own_rows = rows ? rows + begin : nullptr;
                    const auto fill = [&](std::size_t f, std::int32_t* field) {
                      if (f >= fields.n_fields()) {
                        std::fill(field, field + n, 0);
                        return;
                      }
                      const float* values = fields.of(f);
                      quantize_field(values ? values + begin : nullptr,
                                     fields.weights ? fields.weights + begin : nullptr,
                                     rounding.exact, rounding.dithered[f], 1.0 / rounding.units[f],
                                     {own_rows, first, rounding.first_place, n}, field);
                    };
                    for (std::size_t word = 0; word < out.n_chunks * out.words; ++word) {
                      fill(2 * word, high);
                      fill(2 * word + 1, low);
                      std::int64_t* place =
                          out.data + (word / out.words) * out.n_rows * out.words + word % out.words;
                      if (own_rows) {
                        scatter(high, low, own_rows, n, out.words, place);
                      } else {
                        combine(high, low, n, out.words, place + first * out.words);
                      }
                    }
                  });
}

}  // namespace ocelot
