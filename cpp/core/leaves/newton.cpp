#include "leaves/newton.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "shared/multiversion.h"
#include "shared/pool.h"

namespace ocelot {
namespace {

constexpr double negligible = 1e-12;  // of a pivot, compared with the diagonal it comes from

// row[j] -= factor * other[j]
OCELOT_HOT void subtract_multiple(double* row, const double* other, double factor, std::size_t n) {
  for (std::size_t j = 0; j < n; ++j) row[j] -= factor * other[j];
}

// Elimination without pivoting, which a positive definite system does not need. Only the upper
// triangle of the matrix is read; it is destroyed.
void solve(double* matrix, double* right, std::size_t n) {
  std::vector<double> diagonal(n);
  for (std::size_t k = 0; k < n; ++k) diagonal[k] = matrix[k * n + k];
  for (std::size_t k = 0; k < n; ++k) {
    const double* own = matrix + k * n;
    if (!(own[k] > negligible * diagonal[k])) continue;
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = own[i] / own[k];
      subtract_multiple(matrix + i * n + i, own + i, factor, n - i);
      right[i] -= factor * right[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    const double* own = matrix + k * n;
    if (!(own[k] > negligible * diagonal[k])) {
      right[k] = 0;
      continue;
    }
    double rest = right[k];
    for (std::size_t j = k + 1; j < n; ++j) rest -= own[j] * right[j];
    right[k] = rest / own[k];
  }
}

void class_step(const ClassSums& sums, std::size_t leaf, double regularization, double* out) {
  const double* const gradients = sums.gradients[leaf];
  const double* const curvatures = sums.curvatures[leaf];
  const double* const expected = sums.expected[leaf];
  const double weight = sums.weights[leaf];
  const std::size_t n = sums.gradients.stride;
  std::vector<double> shares(n);
  double product = 0, length = 0;
  for (std::size_t k = 0; k < n; ++k) {
    const double alike = expected[k] * (1.0 - expected[k] / weight);
    const double ratio = alike > 0 ? std::clamp(curvatures[k] / alike, 0.0, 1.0) : 0.0;
    const double diagonal = ratio * expected[k] + regularization;
    const double factor = std::sqrt(ratio) * expected[k];
    if (!(diagonal > 0)) {
      out[k] = shares[k] = 0;
      continue;
    }
    out[k] = gradients[k] / diagonal;
    shares[k] = factor / diagonal;
    product += factor * out[k];
    length += factor * shares[k];
  }
  const double rest = weight - length;  // 0 without regularization, and so is the product
  if (!(rest > negligible * weight)) return;
  for (std::size_t k = 0; k < n; ++k) out[k] += shares[k] * (product / rest);
}

}  // namespace

void newton_steps(const Matrix<const double>& gradients, const double* hessians,
                  double regularization, double* out_steps, int n_threads) {
  const std::size_t n_outputs = gradients.stride, size = n_outputs * n_outputs;
  parallel_for(gradients.n_lines, n_threads, [&](std::size_t leaf) {
    std::vector<double> system(hessians + leaf * size, hessians + (leaf + 1) * size);
    for (std::size_t k = 0; k < n_outputs; ++k) system[k * n_outputs + k] += regularization;
    double* step = out_steps + leaf * n_outputs;
    std::copy_n(gradients[leaf], n_outputs, step);
    solve(system.data(), step, n_outputs);
  });
}

void class_steps(const ClassSums& sums, double regularization, const Matrix<double>& out_steps,
                 int n_threads) {
  parallel_for(out_steps.n_lines, n_threads,
               [&](std::size_t leaf) { class_step(sums, leaf, regularization, out_steps[leaf]); });
}

}  // namespace ocelot
