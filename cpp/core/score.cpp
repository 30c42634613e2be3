#include "score.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "multiversion.h"
#include "pool.h"
#include "score_terms.h"

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
  const AddTerms add = terms_of(kind, min_weight > 0);
  const ScoreScale scale(units, n_outputs, kind);
  const std::size_t all_words = n_chunks * words;

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
          add(field(k), field(n_outputs), count, float(units[k] / scale.gradient),
              float(units[n_outputs] / scale.weight), float(regularization / scale.weight),
              float(min_weight / scale.weight), numerator, denominator);
        }
      }
      if (kind == ScoreKind::cosine) divide(numerator, denominator, count - 1);
      const float* best = std::max_element(numerator, numerator + count - 1);
      best_scores[c] = double(*best) * scale.score;
      best_bins[c] = std::uint8_t(best - numerator);
    }
  });
}

}  // namespace ocelot
