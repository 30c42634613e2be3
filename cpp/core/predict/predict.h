// Sums of leaf values over the trees of a forest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "predict/questions.h"

namespace ocelot {

struct TreesOnBins {
  Questions questions;  // of all trees
  std::span<const std::uint32_t> depths;
  const double* leaf_values;  // [n_leaves][n_outputs]
  std::size_t n_outputs;
};

// bins [n_columns][n_rows]; inout_raw [n_outputs][n_rows] is added to.
void predict_trees(const Matrix<const std::uint8_t>& bins, const TreesOnBins& trees,
                   const Matrix<double>& inout_raw, int n_threads);

// out_leaves [n_trees][n_rows]: the leaf of every row in every tree.
void find_leaves(const Matrix<const std::uint8_t>& bins, const Questions& questions,
                 std::span<const std::uint32_t> depths, const Matrix<std::uint32_t>& out_leaves,
                 int n_threads);

}  // namespace ocelot
