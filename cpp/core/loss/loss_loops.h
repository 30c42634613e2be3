// Loops over some rows, compiled for every CPU level (derivatives.cpp). Weights may be null, which
// is all ones.
#pragma once

#include <cstddef>
#include <cstdint>

#include "loss/losses.h"

namespace ocelot {

// Negative gradients at the raw predictions; returns the (weighted) sum of the loss.
double gradients_of_rows(LossKind kind, double parameter, const float* targets,
                         const float* weights, const double* raw, std::size_t n_rows, float* out);

// Sums over the rows of each leaf: adds to out [n_leaves][3] of gradient, hessian and weight.
void sum_rows_by_leaf(LossKind kind, double parameter, const float* targets, const float* weights,
                      const double* raw, const std::uint32_t* leaves, std::size_t n_rows,
                      std::size_t n_leaves, double* out);

// raw[row] += values[leaves[row] * stride]
void add_values(const std::uint32_t* leaves, const double* values, std::size_t stride,
                std::size_t n_rows, double* raw);

}  // namespace ocelot
