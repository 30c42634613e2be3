// Newton's step in leaves with several outputs.
#pragma once

#include <cstddef>

#include "shared/views.h"

namespace ocelot {

// Solves (H + regularization I) step = gradient in every leaf, for gradients [n_leaves][n_outputs]
// and hessians [n_leaves][n_outputs][n_outputs]. An output whose equation follows from the others'
// (without regularization one does) stays at 0.
void newton_steps(const Matrix<const double>& gradients, const double* hessians,
                  double regularization, double* out_steps, int n_threads);

// What class_leaf_sums finds, each [n_leaves][n_outputs], and the leaves' weights.
struct ClassSums {
  Matrix<const double> gradients, curvatures, expected;
  const double* weights;
};

// The step for many classes. With P the sum of p and W the weight, rows of equal p would have the
// Hessian diag(P) - P P' / W. Rows that differ have a smaller diagonal: rows and columns are scaled
// until it is the true one. A diagonal plus one product is solved in one go.
void class_steps(const ClassSums& sums, double regularization, const Matrix<double>& out_steps,
                 int n_threads);

}  // namespace ocelot
