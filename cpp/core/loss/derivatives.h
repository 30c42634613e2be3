// Gradients of all rows, and sums of derivatives over leaves.
#pragma once

#include <cstddef>
#include <cstdint>

#include "leaves/leaf_step.h"
#include "loss/losses.h"

namespace ocelot {

// Negative gradients at the raw predictions; returns the (weighted) sum of the loss.
double loss_gradients(LossKind kind, double parameter, const float* targets, const float* weights,
                      const double* raw, std::size_t n_rows, float* out_gradients, int n_threads);

// One step of every leaf, rounded to single precision and added to the raw predictions of its rows.
// leaves [n_rows] are leaf numbers; weights may be null. out_weights are those of the leaves.
void step_leaves(LossKind kind, double parameter, const float* targets, const float* weights,
                 const std::uint32_t* leaves, std::size_t n_rows, std::size_t n_leaves,
                 const LeafStep& step, double* raw, double* out_values, double* out_weights,
                 int n_threads);

// Leaf values after several steps, from rows sorted by leaf: each leaf goes from 0 by
//   gradient / (hessian + regularization)     with newton, else
//   gradient / (weight + regularization)
// at most `steps` times, until a step is negligible. A step that makes the loss of the leaf worse
// is halved, and after ten halvings the leaf stays where it is. The losses are convex: one whose
// gradient still points on after the step has not become worse.
struct LeafSteps {
  bool newton;
  double regularization;
  int steps;
};
void leaf_values(LossKind kind, double parameter, const float* targets, const float* weights,
                 const double* raw, const std::uint32_t* rows, const std::uint32_t* leaf_offsets,
                 std::size_t n_leaves, const LeafSteps& rule, double* out_values,
                 double* out_weights, int n_threads);

// Gradients of the softmax of n_outputs raw predictions, raw [n_outputs][n_rows]; targets are class
// numbers. out_gradients is [n_outputs][n_rows].
double softmax_gradients(const float* targets, const float* weights, const double* raw,
                         std::size_t n_outputs, std::size_t n_rows, float* out_gradients,
                         int n_threads);

// leaf_steps [n_leaves][n_outputs]; out is [n_leaves][n_outputs + n_outputs^2 + 2]: gradients,
// hessian matrix, loss, weight. With gradients (those of softmax_gradients at raw; may be null) the
// probabilities are known: leaf_steps are taken as zero and the loss is left at zero.
void softmax_leaf_sums(const float* targets, const float* weights, const double* raw,
                       const float* gradients, std::size_t n_outputs, std::size_t n_rows,
                       const std::uint32_t* leaves, std::size_t n_leaves, const double* leaf_steps,
                       double* out, int n_threads);

// The weighted alpha-quantile of target - raw in each leaf, for rows sorted by leaf: the smallest
// residual at which the weight up to and including it reaches alpha of the whole. 0 for an empty
// leaf. out_weights are those of the leaves.
void leaf_quantiles(double alpha, const float* targets, const float* weights, const double* raw,
                    const std::uint32_t* rows, const std::uint32_t* leaf_offsets,
                    std::size_t n_leaves, double* out_values, double* out_weights, int n_threads);

// raw[k][row] += leaf_values[leaves[row]][k]
void add_leaf_values(const std::uint32_t* leaves, const double* leaf_values, std::size_t n_outputs,
                     std::size_t n_rows, double* raw, int n_threads);

}  // namespace ocelot
