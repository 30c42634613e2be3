// Sums over leaves of the softmax's derivatives.
#pragma once

#include <cstddef>
#include <span>

#include "leaves/leaf_rows.h"
#include "loss/softmax.h"

namespace ocelot {

// out [n_leaves][n_outputs + n_outputs^2 + 2]: gradients, hessian matrix, loss and weight of each
// leaf at raw plus the step of the leaf, leaf_steps [n_leaves][n_outputs].
void softmax_leaf_sums(const ClassRows& rows, const LeafNumbers& leaves, const double* leaf_steps,
                       double* out, int n_threads);

// The same at raw itself, from the gradients of softmax_gradients there: probabilities need not be
// computed again. The loss is left at zero.
void softmax_leaf_sums_known(const ClassRows& rows, const Matrix<const float>& gradients,
                             const LeafNumbers& leaves, double* out, int n_threads);

// Diagonals only. From negative gradients [n_outputs][n_rows], p being the probabilities:
// out [3][n_leaves][n_outputs] are gradients, p (1 - p) and p, each times the weight.
void class_leaf_sums(std::span<const float> targets, Weights weights,
                     const Matrix<const float>& gradients, const LeafNumbers& leaves, double* out,
                     int n_threads);

}  // namespace ocelot
