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
                   const std::uint32_t* large, std::size_t n_fresh, const ScoredLeaves& scored,
                   const ScoredColumns& columns, const ScoreRule& rule, double* best_scores,
                   std::uint8_t* best_bins, int n_threads) {
  const std::size_t slot_size = n_bins * words;
  const auto bins_of = [&](std::size_t chunk, std::size_t histogram, std::size_t slot) {
    return histograms + ((chunk * n_histograms + histogram) * n_slots + slot) * slot_size;
  };
  std::vector<std::vector<std::uint32_t>> columns_of_slot(n_slots);
  for (std::size_t c = 0; c < columns.n_columns; ++c) {
    columns_of_slot[columns.slots[c]].push_back(std::uint32_t(c));
  }
  const std::size_t n_pieces = rule.n_eras * n_chunks;

  parallel_for(n_slots, n_threads, [&](std::size_t slot) {
    const bool shared = columns_of_slot[slot].size() > 1;
    for (std::size_t chunk = 0; chunk < n_chunks; ++chunk) {
      for (std::size_t p = 0; p < n_fresh; ++p) {
        std::int64_t* fresh = bins_of(chunk, small[p], slot);
        if (!shared) run_sums(fresh, words, n_bins);
        if (large[p] != no_histogram) subtract(bins_of(chunk, large[p], slot), fresh, slot_size);
      }
    }
    BorderScores scores(rule, n_chunks, words);
    std::vector<const std::int64_t*> sums(n_pieces);
    std::vector<std::int64_t> small_columns(shared ? n_pieces * slot_size : 0);
    for (const std::uint32_t c : columns_of_slot[slot]) {
      const std::size_t count = columns.bin_counts[c];
      best_scores[c] = -std::numeric_limits<double>::infinity();
      best_bins[c] = 0;
      if (count < 2 || !columns.candidates[c]) continue;
      scores.start(count);
      for (std::size_t leaf = 0; leaf < scored.n_leaves; ++leaf) {
        for (std::size_t piece = 0; piece < n_pieces; ++piece) {
          const std::uint32_t histogram =
              scored.histograms[piece / n_chunks * scored.n_leaves + leaf];
          sums[piece] = nullptr;
          if (histogram == no_histogram) continue;
          sums[piece] = bins_of(piece % n_chunks, histogram, slot);
          if (shared) {
            std::int64_t* const own = &small_columns[piece * slot_size];
            marginal(sums[piece], words, columns.shifts[c], count, own);
            run_sums(own, words, count);
            sums[piece] = own;
          }
        }
        scores.add_leaf(sums.data());
      }
      const Border best = scores.best();
      best_scores[c] = best.score;
      best_bins[c] = best.bin;
    }
  });
}

}  // namespace ocelot
