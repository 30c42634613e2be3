// The loops over some rows of each loss, compiled for every CPU level (derivatives.cpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "losses.h"

namespace ocelot {

struct LossLoops {
  // Negative gradients at the raw predictions; returns the (weighted) sum of the loss.
  double (*gradients)(double parameter, const float* targets, const float* weights,
                      const double* raw, std::size_t n_rows, float* out);
  // Adds gradient, hessian, loss and weight of each row, at raw + the step of its leaf, to the four
  // sums of its leaf.
  void (*sums)(double parameter, const float* targets, const float* weights, const double* raw,
               const std::uint32_t* leaves, std::size_t n_rows, const double* leaf_steps,
               bool with_loss, double* sums);
  // The four sums of rows that are all in one leaf.
  void (*leaf)(double parameter, const float* targets, const float* weights, const double* raw,
               std::size_t n_rows, double step, bool with_loss, double* out);
};

LossLoops loops_of(LossKind kind);

}  // namespace ocelot
