// The best border of every column of target statistics.
#pragma once

#include "score.h"
#include "statistic_histogram.h"

namespace ocelot {

// For each of n_places places from first_place on, and each column: the highest score over its 15
// borders and the bin of that border. In the first n_old places the fresh histograms are small[p],
// with the parent in large[p], as for score_columns; in the others all of `scored` are fresh.
// Histograms are left as running sums over the 16 bins of each column.
void score_statistics(const StatisticHistograms& histograms, std::size_t first_place,
                      std::size_t n_places, std::size_t n_old, std::size_t n_columns,
                      const std::uint32_t* small, const std::uint32_t* large, std::size_t n_fresh,
                      const ScoredLeaves& scored, const ScoreRule& rule, double* best_scores,
                      std::uint8_t* best_bins, int n_threads);

}  // namespace ocelot
