#include "grow/statistic_score.h"

#include <algorithm>
#include <vector>

#include "grow/score_terms.h"
#include "shared/pool.h"

namespace ocelot {
namespace {

constexpr std::size_t n_bins = 16;
constexpr std::size_t most_columns = 16;  // scored together

}  // namespace

void score_statistics(const StatisticRows& rows, const StatisticHistograms& inout,
                      const FreshHistograms& fresh, const ScoredLeaves& scored,
                      const ScoreRule& rule, const BestOfPages& out, int n_threads) {
  const StatisticHistograms& histograms = inout;
  const StatisticSums sums(rows, histograms, n_threads);
  const std::size_t n_columns = out.scores.stride;
  const std::size_t n_chunks = histograms.n_chunks, words = histograms.words;
  const std::size_t columns_of_all = n_chunks * histograms.n_bytes * 2;
  const auto run_columns = [&](std::int64_t* bins) {
    for (std::size_t c = 0; c < columns_of_all; ++c) {
      run_sums(bins + c * n_bins * words, n_bins, words);
    }
  };
  const auto sum_shelf = [&](std::size_t p) {
    sums.sum_few(p);
    if (p < rows.n_old) {
      for (std::size_t f = 0; f < fresh.small.size(); ++f) {
        std::int64_t* small = histograms.at(p, fresh.small[f]);
        run_columns(small);
        if (fresh.large[f] != no_histogram) {
          subtract(histograms.at(p, fresh.large[f]), small, histograms.size());
        }
      }
    } else {
      for (std::size_t i = 0; i < rule.n_eras * scored.n_leaves; ++i) {
        if (scored.histograms[i] == no_histogram) continue;
        run_columns(histograms.at(p, scored.histograms[i]));
      }
    }
  };
  const std::size_t shelves_per_task =
      std::max<std::size_t>(rows.pages.size() / (8 * n_threads), 1);
  parallel_blocks(rows.pages.size(), shelves_per_task, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    BorderScores scores(rule, n_chunks, words);
                    LeafSums leaves;
                    for (std::size_t p = begin; p < end; ++p) {
                      sum_shelf(p);
                      for (std::size_t first = 0; first < n_columns; first += most_columns) {
                        const std::size_t count = std::min(most_columns, n_columns - first);
                        sums_by_leaf(
                            scored, rule.n_eras, n_chunks,
                            [&](std::size_t histogram, std::size_t chunk) {
                              return histograms.at(p, histogram) +
                                     (chunk * histograms.n_bytes * 2 + first) * n_bins * words;
                            },
                            leaves);
                        scores.score(count * n_bins, leaves);
                        for (std::size_t c = 0; c < count; ++c) {
                          const Border best = scores.best(c * n_bins, n_bins);
                          out.scores[p][first + c] = best.score;
                          out.bins[p][first + c] = best.bin;
                        }
                      }
                    }
                  });
}

}  // namespace ocelot
