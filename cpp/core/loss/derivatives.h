// Derivatives and values of a loss over rows.
#pragma once

#include <cstddef>
#include <cstdint>

#include "loss/rows.h"

namespace ocelot {

// Negative gradients at the raw predictions; returns the weighted sum of the loss.
double loss_gradients(const Loss& loss, const LossRows& rows, float* out_gradients, int n_threads);

// The same on the calling thread alone.
double gradients_of_rows(const Loss& loss, const LossRows& rows, float* out_gradients);

// Adds gradient, hessian and weight of every row to those of its leaf, out [n_leaves][3].
void sum_rows_by_leaf(const Loss& loss, const LossRows& rows, const std::uint32_t* leaves,
                      std::size_t n_leaves, double* out);

// Weighted sums over the rows of one leaf.
struct DerivativeSums {
  double gradient, hessian, loss, weight;

  DerivativeSums& operator+=(const DerivativeSums& other) {
    gradient += other.gradient;
    hessian += other.hessian;
    loss += other.loss;
    weight += other.weight;
    return *this;
  }
};

// The sums of these rows at raw + step. The loss is left out, and 0, unless it is asked for.
DerivativeSums sum_leaf(const Loss& loss, const LossRows& rows, double step, bool with_loss);

}  // namespace ocelot
