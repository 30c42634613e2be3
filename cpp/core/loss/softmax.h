// The loss of several classes: the softmax of one raw prediction per class.
#pragma once

#include <cstddef>
#include <span>

#include "shared/views.h"

namespace ocelot {

// Rows with their classes, weights and raw predictions.
struct ClassRows {
  std::span<const float> targets;  // class numbers
  Weights weights;
  Matrix<const double> raw;  // [n_outputs][n_rows]

  std::size_t size() const { return targets.size(); }
  std::size_t n_outputs() const { return raw.n_lines; }
};

// Negative gradients at the raw predictions, [n_outputs][n_rows]; returns the weighted sum of the
// loss.
double softmax_gradients(const ClassRows& rows, const Matrix<float>& out_gradients, int n_threads);

}  // namespace ocelot
