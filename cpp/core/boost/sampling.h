// Minimal variance sampling.
#pragma once

#include "shared/views.h"

namespace ocelot {

struct MinimalVariance {
  double regularization, fraction;
};

// Keeps row i with probability p = min(1, c / mu), c = sqrt(|gradient|^2 + regularization), and
// gives it weight 1 / p; mu is such that the fraction of each block of 8192 rows is kept on
// average. gradients [n_outputs][n_rows] are multiplied by the weights; uniform [n_rows] in [0, 1)
// decides.
void minimal_variance_weights(const Matrix<const float>& gradients, Weights weights,
                              const float* uniform, const MinimalVariance& rule, float* out_weights,
                              int n_threads);

}  // namespace ocelot
