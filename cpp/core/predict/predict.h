// Sums of leaf values over the trees of a forest.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ocelot {

struct TreesOnBins {
  const std::uint32_t* split_columns;  // [n_splits] row of `bins`
  const std::uint8_t* split_bins;      // [n_splits] the answer is yes for a greater bin
  const std::uint32_t* depths;         // [n_trees]
  std::size_t n_trees;
  const double* leaf_values;  // [n_leaves][n_outputs]
  std::size_t n_outputs;
};

// bins [n_columns][n_rows]; raw [n_outputs][n_rows] is added to.
void predict_trees(const std::uint8_t* bins, std::size_t n_rows, const TreesOnBins& trees,
                   double* raw, int n_threads);

}  // namespace ocelot
