#include "score.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "multiversion.h"
#include "pool.h"

namespace ocelot {
namespace {

constexpr std::size_t n_bins = 256;

// Sums over the bins up to each border, one array a field.
struct Prefix {
  alignas(64) std::int32_t low[n_bins];
  alignas(64) std::int32_t high[n_bins];
};

// Two signed 32-bit sums share a word: word = high * 2^32 + low.
OCELOT_INLINE void unpack(std::int64_t word, std::int32_t& low, std::int32_t& high) {
  low = static_cast<std::int32_t>(word);
  high = static_cast<std::int32_t>((static_cast<std::uint64_t>(word) -
                                    static_cast<std::uint64_t>(static_cast<std::int64_t>(low))) >>
                                   32);
}

// Sums of one bin word over a column, up to each of its bins.
OCELOT_INLINE void prefix_sums(const std::int64_t* bins, std::size_t words, std::size_t count,
                               Prefix& out) {
  std::int64_t sum = 0;
  for (std::size_t b = 0; b < count; ++b) {
    sum += bins[b * words];
    unpack(sum, out.low[b], out.high[b]);
  }
}

// What one leaf adds to the score of each border: numerator v * G, denominator v^2 * W, where
// v = G / (W + regularization) on each side. The two sides are added to each other first, so that
// a split and its mirror image score the same to the last bit.
template <bool cosine, bool limited>
OCELOT_INLINE void add_output(const std::int32_t* gradient, const std::int32_t* weight,
                              std::size_t n_borders, double gradient_unit, double weight_unit,
                              double regularization, double min_weight, double* numerator,
                              double* denominator) {
  const double total_gradient = gradient[n_borders] * gradient_unit;
  const double total_weight = weight[n_borders] * weight_unit;
  for (std::size_t b = 0; b < n_borders; ++b) {
    const double left_weight = weight[b] * weight_unit;
    const double right_weight = total_weight - left_weight;
    double left = gradient[b] * gradient_unit;
    double right = total_gradient - left;
    if (limited) {
      left = left_weight < min_weight ? 0.0 : left;
      right = right_weight < min_weight ? 0.0 : right;
    }
    const double left_size = left_weight + regularization;
    const double right_size = right_weight + regularization;
    // One division serves both sides.
    const double inverse = 1.0 / (left_size * right_size);
    const double left_value = left * (inverse * right_size);
    const double right_value = right * (inverse * left_size);
    numerator[b] += left_value * left + right_value * right;
    if (cosine) {
      denominator[b] +=
          left_value * left_value * left_weight + right_value * right_value * right_weight;
    }
  }
}

#define OCELOT_ADD_OUTPUT(name, cosine, limited)                                                 \
  OCELOT_HOT void name(const std::int32_t* gradient, const std::int32_t* weight,                 \
                       std::size_t n_borders, double gradient_unit, double weight_unit,          \
                       double regularization, double min_weight, double* numerator,              \
                       double* denominator) {                                                    \
    add_output<cosine, limited>(gradient, weight, n_borders, gradient_unit, weight_unit,         \
                                regularization, min_weight, numerator, denominator);             \
  }
OCELOT_ADD_OUTPUT(add_l2, false, false)
OCELOT_ADD_OUTPUT(add_l2_limited, false, true)
OCELOT_ADD_OUTPUT(add_cosine, true, false)
OCELOT_ADD_OUTPUT(add_cosine_limited, true, true)
#undef OCELOT_ADD_OUTPUT

OCELOT_HOT void subtract(std::int64_t* large, const std::int64_t* small, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) large[i] -= small[i];
}

// Sums the bins of a slot that agree in one small column.
void marginal(const std::int64_t* slot, std::size_t words, std::uint32_t shift, std::size_t count,
              std::int64_t* out) {
  std::size_t mask = 1;
  while (mask < count) mask *= 2;
  std::memset(out, 0, mask * words * sizeof(std::int64_t));
  for (std::size_t byte = 0; byte < n_bins; ++byte) {
    const std::size_t bin = (byte >> shift) & (mask - 1);
    for (std::size_t w = 0; w < words; ++w) out[bin * words + w] += slot[byte * words + w];
  }
}

}  // namespace

void score_columns(std::int64_t* histograms, std::size_t n_chunks, std::size_t n_histograms,
                   std::size_t n_slots, std::size_t words, const std::uint32_t* small,
                   const std::uint32_t* large, std::size_t n_pairs, const ScoredColumns& columns,
                   std::size_t n_outputs, const double* units, double regularization,
                   double min_weight, ScoreKind kind, double* best_scores,
                   std::uint8_t* best_bins, int n_threads) {
  const std::size_t slot_size = n_bins * words;
  const auto bins_of = [&](std::size_t chunk, std::size_t histogram, std::size_t slot) {
    return histograms + ((chunk * n_histograms + histogram) * n_slots + slot) * slot_size;
  };
  std::vector<std::vector<std::uint32_t>> columns_of_slot(n_slots);
  for (std::size_t c = 0; c < columns.n_columns; ++c) {
    columns_of_slot[columns.slots[c]].push_back(std::uint32_t(c));
  }
  const bool cosine = kind == ScoreKind::cosine;
  const auto add = min_weight > 0 ? (cosine ? add_cosine_limited : add_l2_limited)
                                  : (cosine ? add_cosine : add_l2);
  const std::size_t all_words = n_chunks * words;

  parallel_for(n_slots, n_threads, [&](std::size_t slot) {
    for (std::size_t chunk = 0; chunk < n_chunks; ++chunk) {
      for (std::size_t p = 0; p < n_pairs; ++p) {
        if (large[p] == no_histogram) continue;
        subtract(bins_of(chunk, large[p], slot), bins_of(chunk, small[p], slot), slot_size);
      }
    }
    static thread_local std::vector<Prefix> prefix;
    prefix.resize(std::max(prefix.size(), all_words));
    alignas(64) std::int64_t small_column[n_bins * 4];
    for (const std::uint32_t c : columns_of_slot[slot]) {
      const std::size_t count = columns.bin_counts[c];
      best_scores[c] = -std::numeric_limits<double>::infinity();
      best_bins[c] = 0;
      if (count < 2 || !columns.candidates[c]) continue;
      alignas(64) double numerator[n_bins] = {};
      alignas(64) double denominator[n_bins] = {};
      const bool shares_slot = columns_of_slot[slot].size() > 1;
      for (std::size_t side = 0; side < 2 * n_pairs; ++side) {
        const std::uint32_t histogram = side % 2 ? large[side / 2] : small[side / 2];
        if (histogram == no_histogram) continue;
        for (std::size_t chunk = 0; chunk < n_chunks; ++chunk) {
          const std::int64_t* bins = bins_of(chunk, histogram, slot);
          if (shares_slot) {
            marginal(bins, words, columns.shifts[c], count, small_column);
            bins = small_column;
          }
          for (std::size_t w = 0; w < words; ++w) {
            prefix_sums(bins + w, words, count, prefix[chunk * words + w]);
          }
        }
        const auto field = [&](std::size_t f) {
          return f % 2 ? prefix[f / 2].low : prefix[f / 2].high;
        };
        for (std::size_t k = 0; k < n_outputs; ++k) {
          add(field(k), field(n_outputs), count - 1, units[k], units[n_outputs], regularization,
              min_weight, numerator, denominator);
        }
      }
      for (std::size_t b = 0; b + 1 < count; ++b) {
        const double score =
            cosine ? numerator[b] / std::sqrt(denominator[b] + 1e-100) : numerator[b];
        if (score > best_scores[c]) {
          best_scores[c] = score;
          best_bins[c] = std::uint8_t(b);
        }
      }
    }
  });
}

}  // namespace ocelot
