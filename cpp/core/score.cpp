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

// Running sums over the bins of a column, one array a field.
struct Fields {
  alignas(64) std::int32_t low[n_bins];
  alignas(64) std::int32_t high[n_bins];
};

// Replaces the words of each bin by their sum up to that bin.
void run_sums(std::int64_t* bins, std::size_t words, std::size_t count) {
  if (words == 1) {
    std::int64_t sum = 0;
    for (std::size_t b = 0; b < count; ++b) bins[b] = sum += bins[b];
    return;
  }
  for (std::size_t i = words; i < count * words; ++i) bins[i] += bins[i - words];
}

// Two signed 32-bit sums share a word: word = high * 2^32 + low.
OCELOT_HOT void unpack(const std::int64_t* __restrict sums, std::size_t words, std::size_t count,
                       std::int32_t* __restrict low, std::int32_t* __restrict high) {
  for (std::size_t b = 0; b < count; ++b) {
    const std::uint64_t word = std::uint64_t(sums[b * words]);
    low[b] = std::int32_t(word);
    // Adding half of the low range carries into the high half exactly when low is negative.
    high[b] = std::int32_t((word + 0x80000000u) >> 32);
  }
}

// What one leaf adds to the score of each border: numerator v * G, denominator v^2 * W, where
// v = G / (W + regularization) on each side. Sums of both sides are exact integers and all terms
// are positive, so single precision keeps scores to about six digits. The two sides are added to
// each other first: a split and its mirror image score the same to the last bit.
template <bool cosine, bool limited>
OCELOT_INLINE void add_output(const std::int32_t* __restrict gradient,
                              const std::int32_t* __restrict weight, std::size_t n_borders,
                              float gradient_unit, float weight_unit, float regularization,
                              float min_weight, float* __restrict numerator,
                              float* __restrict denominator) {
  const std::int32_t total_gradient = gradient[n_borders], total_weight = weight[n_borders];
  for (std::size_t b = 0; b < n_borders; ++b) {
    const float left_weight = float(weight[b]) * weight_unit;
    const float right_weight = float(total_weight - weight[b]) * weight_unit;
    float left = float(gradient[b]) * gradient_unit;
    float right = float(total_gradient - gradient[b]) * gradient_unit;
    if (limited) {
      left = left_weight < min_weight ? 0.0f : left;
      right = right_weight < min_weight ? 0.0f : right;
    }
    const float left_value = left / (left_weight + regularization);
    const float right_value = right / (right_weight + regularization);
    numerator[b] += left_value * left + right_value * right;
    if (cosine) {
      denominator[b] +=
          left_value * left_value * left_weight + right_value * right_value * right_weight;
    }
  }
}

#define OCELOT_ADD_OUTPUT(name, cosine, limited)                                         \
  OCELOT_HOT void name(const std::int32_t* gradient, const std::int32_t* weight,         \
                       std::size_t n_borders, float gradient_unit, float weight_unit,    \
                       float regularization, float min_weight, float* numerator,         \
                       float* denominator) {                                             \
    add_output<cosine, limited>(gradient, weight, n_borders, gradient_unit, weight_unit, \
                                regularization, min_weight, numerator, denominator);     \
  }
OCELOT_ADD_OUTPUT(add_l2, false, false)
OCELOT_ADD_OUTPUT(add_l2_limited, false, true)
OCELOT_ADD_OUTPUT(add_cosine, true, false)
OCELOT_ADD_OUTPUT(add_cosine_limited, true, true)
#undef OCELOT_ADD_OUTPUT

OCELOT_HOT void divide(float* __restrict numerator, const float* __restrict denominator,
                       std::size_t count) {
  for (std::size_t b = 0; b < count; ++b) {
    numerator[b] /= std::sqrt(denominator[b] + std::numeric_limits<float>::min());
  }
}

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
                   const std::uint32_t* large, std::size_t n_fresh, const std::uint32_t* scored,
                   std::size_t n_scored, const ScoredColumns& columns, std::size_t n_outputs,
                   const double* units, double regularization, double min_weight, ScoreKind kind,
                   double* best_scores, std::uint8_t* best_bins, int n_threads) {
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
  // Single precision has little range, so gradients and weights are scaled to at most 1 first and
  // the best scores are scaled back.
  const double largest_field = 2147483648.0;
  const double gradient_scale = largest_field * *std::max_element(units, units + n_outputs);
  const double weight_scale = largest_field * units[n_outputs];
  const double score_scale = cosine ? gradient_scale / std::sqrt(weight_scale)
                                    : gradient_scale * gradient_scale / weight_scale;

  parallel_for(n_slots, n_threads, [&](std::size_t slot) {
    const bool shared = columns_of_slot[slot].size() > 1;
    for (std::size_t chunk = 0; chunk < n_chunks; ++chunk) {
      for (std::size_t p = 0; p < n_fresh; ++p) {
        std::int64_t* fresh = bins_of(chunk, small[p], slot);
        if (!shared) run_sums(fresh, words, n_bins);
        if (large[p] != no_histogram) subtract(bins_of(chunk, large[p], slot), fresh, slot_size);
      }
    }
    static thread_local std::vector<Fields> own_fields;
    own_fields.resize(std::max(own_fields.size(), all_words));
    Fields* const fields = own_fields.data();
    const auto field = [&](std::size_t f) {
      return f % 2 ? fields[f / 2].low : fields[f / 2].high;
    };
    alignas(64) std::int64_t small_column[n_bins * 4];
    for (const std::uint32_t c : columns_of_slot[slot]) {
      const std::size_t count = columns.bin_counts[c];
      best_scores[c] = -std::numeric_limits<double>::infinity();
      best_bins[c] = 0;
      if (count < 2 || !columns.candidates[c]) continue;
      alignas(64) float numerator[n_bins] = {}, denominator[n_bins] = {};
      for (std::size_t leaf = 0; leaf < n_scored; ++leaf) {
        for (std::size_t chunk = 0; chunk < n_chunks; ++chunk) {
          const std::int64_t* sums = bins_of(chunk, scored[leaf], slot);
          if (shared) {
            marginal(sums, words, columns.shifts[c], count, small_column);
            run_sums(small_column, words, count);
            sums = small_column;
          }
          for (std::size_t w = 0; w < words; ++w) {
            Fields& out = fields[chunk * words + w];
            unpack(sums + w, words, count, out.low, out.high);
          }
        }
        for (std::size_t k = 0; k < n_outputs; ++k) {
          add(field(k), field(n_outputs), count - 1, float(units[k] / gradient_scale),
              float(units[n_outputs] / weight_scale), float(regularization / weight_scale),
              float(min_weight / weight_scale), numerator, denominator);
        }
      }
      if (cosine) divide(numerator, denominator, count - 1);
      const float* best = std::max_element(numerator, numerator + count - 1);
      best_scores[c] = double(*best) * score_scale;
      best_bins[c] = std::uint8_t(best - numerator);
    }
  });
}

}  // namespace ocelot
