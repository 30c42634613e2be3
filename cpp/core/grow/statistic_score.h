// The best border of every column of target statistics.
#pragma once

#include "grow/score.h"
#include "grow/statistic_histogram.h"

namespace ocelot {

// For each page and each of its columns: the highest score over its 15 borders and the bin of that
// border. Histograms of page u, in shelf first_shelf + u, are summed first: for the first n_old
// pages those of small[p], whose parents are in large[p], as for score_columns; for the others all
// of `scored`. They are left as running sums over the 16 bins of each column.
void score_statistics(const StatisticRows& rows, const StatisticHistograms& histograms,
                      std::size_t first_shelf, std::int64_t* scratch, std::size_t n_columns,
                      const std::uint32_t* small, const std::uint32_t* large, std::size_t n_fresh,
                      const ScoredLeaves& scored, const ScoreRule& rule, double* best_scores,
                      std::uint8_t* best_bins, int n_threads);

}  // namespace ocelot
