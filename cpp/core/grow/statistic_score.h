// The best border of every column of target statistics.
#pragma once

#include "grow/score.h"
#include "grow/statistic_histogram.h"
#include "shared/views.h"

namespace ocelot {

// [n_pages][n_columns]
struct BestOfPages {
  Matrix<double> scores;
  Matrix<std::uint8_t> bins;
};

// For each page and each of its columns: the highest score over its 15 borders and the bin of that
// border. Histograms of page p, in shelf p, are summed first: for the first n_old pages the fresh
// ones, as for score_columns; for the others all of `scored`. They are left as running sums over
// the 16 bins of each column. Without leaves, histograms hold the sums already, as
// accumulate_statistics makes them.
void score_statistics(const StatisticRows& rows, const StatisticHistograms& inout,
                      const FreshHistograms& fresh, const ScoredLeaves& scored,
                      const ScoreRule& rule, const BestOfPages& out, int n_threads);

}  // namespace ocelot
