// Sums over the rows of leaves, and the values of leaves added to their rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "leaves/leaf_rows.h"
#include "loss/rows.h"

namespace ocelot {

// Weighted sums of gradient, hessian and weight over the rows of each leaf, at the raw predictions
// plus the step of the leaf: out [n_leaves][3]. steps [n_leaves] may be null for zeros.
void loss_leaf_sums(const Loss& loss, const LossRows& rows, const LeafNumbers& leaves,
                    const double* steps, std::span<double> out, int n_threads);

// inout_raw[k][row] += values[leaf of row][k], for values [n_leaves][n_outputs].
void add_leaf_values(const LeafNumbers& leaves, const double* values,
                     const Matrix<double>& inout_raw, int n_threads);

// inout_raw[i] += values[leaves[i] * stride] for some rows, on the calling thread.
void add_values(std::span<const std::uint32_t> leaves, const double* values, std::size_t stride,
                double* inout_raw);

}  // namespace ocelot
