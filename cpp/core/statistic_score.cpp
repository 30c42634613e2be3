#include "statistic_score.h"

#include <algorithm>
#include <vector>

#include "pool.h"
#include "score_terms.h"

namespace ocelot {
namespace {

constexpr std::size_t n_bins = 16;

// Sums up to each bin, of columns of 16 bins that follow each other.
void run_sums(std::int64_t* bins, std::size_t n_columns, std::size_t words) {
  for (std::size_t c = 0; c < n_columns; ++c) {
    std::int64_t* column = bins + c * n_bins * words;
    for (std::size_t i = words; i < n_bins * words; ++i) column[i] += column[i - words];
  }
}

}  // namespace

void score_statistics(const StatisticHistograms& histograms, std::size_t first_place,
                      std::size_t n_places, std::size_t n_old, std::size_t n_columns,
                      const std::uint32_t* small, const std::uint32_t* large, std::size_t n_fresh,
                      const ScoredLeaves& scored, const ScoreRule& rule, double* best_scores,
                      std::uint8_t* best_bins, int n_threads) {
  const std::size_t n_chunks = histograms.n_chunks, words = histograms.words;
  const std::size_t columns_to_run = n_chunks * histograms.n_bytes * 2;
  const auto run_place = [&](std::size_t p) {
    const std::size_t place = first_place + p;
    if (p < n_old) {
      for (std::size_t f = 0; f < n_fresh; ++f) {
        std::int64_t* fresh = histograms.at(place, small[f]);
        run_sums(fresh, columns_to_run, words);
        if (large[f] != no_histogram) {
          subtract(histograms.at(place, large[f]), fresh, histograms.size());
        }
      }
    } else {
      for (std::size_t i = 0; i < rule.n_eras * scored.n_leaves; ++i) {
        if (scored.histograms[i] == no_histogram) continue;
        run_sums(histograms.at(place, scored.histograms[i]), columns_to_run, words);
      }
    }
  };
  const std::size_t places_per_task = std::max<std::size_t>(n_places / (8 * n_threads), 1);
  parallel_blocks(
      n_places, places_per_task, n_threads, [&](std::size_t begin, std::size_t end, std::size_t) {
        BorderScores scores(rule, n_chunks, words);
        for (std::size_t p = begin; p < end; ++p) {
          run_place(p);
          const std::vector<const std::int64_t*> leaves =
              sums_by_leaf(scored, rule.n_eras, n_chunks, [&](auto histogram, auto chunk) {
                return histograms.at(first_place + p, histogram) +
                       chunk * histograms.n_bytes * 2 * n_bins * words;
              });
          for (std::size_t c = 0; c < n_columns; ++c) {
            const Border best = scores.best_of(n_bins, leaves, c * n_bins * words);
            best_scores[p * n_columns + c] = best.score;
            best_bins[p * n_columns + c] = best.bin;
          }
        }
      });
}

}  // namespace ocelot
