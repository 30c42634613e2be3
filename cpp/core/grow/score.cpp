#include "grow/score.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <vector>

#include "grow/score_terms.h"
#include "shared/multiversion.h"
#include "shared/pool.h"

namespace ocelot {
namespace {

constexpr std::size_t n_bins = 256;

// Histograms of a slot lie far from each other, so the processor does not foresee the next one.
void fetch_ahead(const std::int64_t* sums, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 8) __builtin_prefetch(sums + i);
}

// A column inside its slot: `first` is where its bins stand once the slot is marginals.
struct SlotColumn {
  std::uint32_t column, shift;
  std::size_t width, first;  // width: a power of two, its bins at least
};

// The columns of each slot that have borders, the lowest bits first.
std::vector<std::vector<SlotColumn>> columns_by_slot(const ScoredColumns& columns,
                                                     std::size_t n_slots) {
  std::vector<std::vector<SlotColumn>> slots(n_slots);
  for (std::size_t c = 0; c < columns.n_columns; ++c) {
    if (columns.bin_counts[c] < 2) continue;
    const std::size_t width = std::bit_ceil(std::size_t(columns.bin_counts[c]));
    slots[columns.slots[c]].push_back({std::uint32_t(c), columns.shifts[c], width, 0});
  }
  for (std::vector<SlotColumn>& slot : slots) {
    std::sort(slot.begin(), slot.end(),
              [](const SlotColumn& a, const SlotColumn& b) { return a.shift < b.shift; });
    for (std::size_t k = 1; k < slot.size(); ++k) {
      slot[k].first = slot[k - 1].first + slot[k - 1].width;
    }
  }
  return slots;
}

// Of [n_blocks][size] bins: the sum of each block, and that of all blocks in place of the first.
template <std::size_t words>
OCELOT_INLINE void fold_words(std::int64_t* bins, std::size_t n_blocks, std::size_t size,
                              std::int64_t* by_block) {
  for (std::size_t block = 0; block < n_blocks; ++block) {
    const std::int64_t* const own = bins + block * size * words;
    std::int64_t sums[words]{};
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t w = 0; w < words; ++w) sums[w] += own[i * words + w];
    }
    std::copy_n(sums, words, by_block + block * words);
    if (block == 0) continue;
    for (std::size_t i = 0; i < size * words; ++i) bins[i] += own[i];
  }
}

OCELOT_HOT void fold(std::int64_t* bins, std::size_t n_blocks, std::size_t size, std::size_t words,
                     std::int64_t* by_block) {
  if (words == 1) return fold_words<1>(bins, n_blocks, size, by_block);
  if (words == 2) return fold_words<2>(bins, n_blocks, size, by_block);
  fold_words<4>(bins, n_blocks, size, by_block);
}

// A slot that columns share becomes their marginals, running sums, one column after the other.
void run_marginals(std::int64_t* slot, std::size_t words, const std::vector<SlotColumn>& columns) {
  std::int64_t joint[n_bins * 4], unused[n_bins * 4];
  std::copy_n(slot, n_bins * words, joint);
  std::size_t count = n_bins;  // of the bits below the last column
  for (auto own = columns.rbegin(); own != columns.rend(); ++own) {
    const std::size_t below = std::size_t{1} << own->shift, used = below * own->width;
    if (used < count) fold(joint, count / used, used, words, unused);
    std::int64_t* const bins = slot + own->first * words;
    fold(joint, own->width, below, words, bins);
    run_sums(bins, own->width, words);
    count = below;
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
  const std::vector<std::vector<SlotColumn>> columns_of = columns_by_slot(columns, n_slots);
  std::fill_n(best_scores, columns.n_columns, -std::numeric_limits<double>::infinity());
  std::fill_n(best_bins, columns.n_columns, 0);

  parallel_for(n_slots, n_threads, [&](std::size_t slot) {
    if (columns_of[slot].empty()) return;
    const SlotColumn& last = columns_of[slot].back();
    const std::size_t used = last.first + last.width;
    for (std::size_t chunk = 0; chunk < n_chunks; ++chunk) {
      for (std::size_t p = 0; p < n_fresh; ++p) {
        std::int64_t* fresh = bins_of(chunk, small[p], slot);
        if (p + 1 < n_fresh) {
          fetch_ahead(bins_of(chunk, small[p + 1], slot), used * words);
          if (large[p + 1] != no_histogram) {
            fetch_ahead(bins_of(chunk, large[p + 1], slot), used * words);
          }
        }
        if (columns_of[slot].size() == 1) {
          run_sums(fresh, used, words);
        } else {
          run_marginals(fresh, words, columns_of[slot]);
        }
        if (large[p] != no_histogram) {
          subtract(bins_of(chunk, large[p], slot), fresh, used * words);
        }
      }
    }
    const auto is_candidate = [&](const SlotColumn& own) { return columns.candidates[own.column]; };
    if (std::none_of(columns_of[slot].begin(), columns_of[slot].end(), is_candidate)) return;
    BorderScores scores(rule, n_chunks, words);
    LeafSums leaves;
    sums_by_leaf(
        scored, rule.n_eras, n_chunks,
        [&](std::size_t histogram, std::size_t chunk) { return bins_of(chunk, histogram, slot); },
        leaves);
    // Empty bins after the last one change nothing: whole vectors are quicker than the rest of one.
    const bool alone = columns_of[slot].size() == 1;
    const std::size_t n_filled = alone ? columns.bin_counts[last.column] : used;
    scores.score(std::min((n_filled + 7) / 8 * 8, used), leaves);
    for (const SlotColumn& own : columns_of[slot]) {
      if (!is_candidate(own)) continue;
      const std::uint32_t c = own.column;
      const Border best = scores.best(own.first, columns.bin_counts[c]);
      best_scores[c] = best.score;
      best_bins[c] = best.bin;
    }
  });
}

}  // namespace ocelot
