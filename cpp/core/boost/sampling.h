// Minimal variance sampling.
#pragma once

#include <cstddef>

namespace ocelot {

// Keeps row i with probability p = min(1, c / mu), c = sqrt(|gradient|^2 + regularization), and
// gives it weight 1 / p; mu is such that a fraction of each block of 8192 rows is kept on average.
// gradients [n_outputs][n_rows]; uniform [n_rows] in [0, 1) decides; weights multiply gradients
// (null: ones).
void minimal_variance_weights(const float* gradients, const float* weights, const float* uniform,
                              std::size_t n_outputs, std::size_t n_rows, double regularization,
                              double fraction, float* out_weights, int n_threads);

}  // namespace ocelot
