// One step of the values of all leaves, from the sums over their rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "leaves/leaf_rows.h"
#include "loss/rows.h"

namespace ocelot {

// How far a leaf goes: rate * gradient / (hessian + regularization) with newton, else over weight.
// A leaf that weighs less than min_weight goes nowhere.
struct LeafStep {
  bool newton;
  double regularization, min_weight, rate;

  double operator()(double gradient, double hessian, double weight) const {
    if (weight < min_weight) return 0;
    return rate * (gradient / ((newton ? hessian : weight) + regularization));
  }
};

// One step of every leaf, rounded to single precision and added to the raw predictions of its rows:
// inout_raw is the array that rows.raw views.
void step_leaves(const Loss& loss, const LossRows& rows, const LeafNumbers& leaves,
                 const LeafStep& step, double* inout_raw, const LeafResults& out, int n_threads);

// inout_raw[k][row] += values[leaf of row][k], for values [n_leaves][n_outputs].
void add_leaf_values(const LeafNumbers& leaves, const double* values,
                     const Matrix<double>& inout_raw, int n_threads);

// inout_raw[i] += values[leaves[i] * stride] for some rows, on the calling thread.
void add_values(std::span<const std::uint32_t> leaves, const double* values, std::size_t stride,
                double* inout_raw);

}  // namespace ocelot
