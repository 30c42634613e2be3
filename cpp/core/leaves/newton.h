// Newton's step in leaves with several outputs.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ocelot {

// Solves (H + regularization I) step = gradient in every leaf, hessians [n_leaves][n_outputs]^2.
// An output whose equation follows from the others' (without regularization one does) stays at 0.
void newton_steps(const double* gradients, const double* hessians, std::size_t n_leaves,
                  std::size_t n_outputs, double regularization, double* out_steps, int n_threads);

// Sums over leaves from negative gradients [n_outputs][n_rows] of the softmax, p being the
// probabilities: out [3][n_leaves][n_outputs] are gradients, p (1 - p) and p, each times the
// weight.
void class_leaf_sums(const float* targets, const float* weights, const float* gradients,
                     std::size_t n_outputs, std::size_t n_rows, const std::uint32_t* leaves,
                     std::size_t n_leaves, double* out, int n_threads);

// The step for many classes, from those sums [3][n_leaves][n_outputs] and the leaves' weights. With
// P the sum of p and W the weight, rows of equal p would have the Hessian diag(P) - P P' / W. Rows
// that differ have a smaller diagonal: rows and columns are scaled until it is the true one. A
// diagonal plus one product is solved in one go.
void class_steps(const double* sums, const double* weights, std::size_t n_leaves,
                 std::size_t n_outputs, double regularization, double* out_steps, int n_threads);

}  // namespace ocelot
