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

// Gradient, p (1 - p) and p of one class over leaves: sums [n_leaves][3].
void add_class(const float* targets, const float* weights, const float* gradients, float label,
               std::size_t n_rows, const std::uint32_t* leaves, double* sums) {
  for (std::size_t i = 0; i < n_rows; ++i) {
    const double weight = weights ? weights[i] : 1.0f;
    const double gradient = gradients[i];
    const double p = (targets[i] == label ? 1.0 : 0.0) - gradient;
    double* leaf = sums + 3 * leaves[i];
    leaf[0] += weight * gradient;
    leaf[1] += weight * (p * (1.0 - p));
    leaf[2] += weight * p;
  }
}

void class_step(const double* gradients, const double* curvatures, const double* expected,
                double weight, std::size_t n, double regularization, double* out) {
  std::vector<double> factors(n), shares(n);
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

void newton_steps(const double* gradients, const double* hessians, std::size_t n_leaves,
                  std::size_t n_outputs, double regularization, double* out_steps, int n_threads) {
  const std::size_t size = n_outputs * n_outputs;
  parallel_for(n_leaves, n_threads, [&](std::size_t leaf) {
    std::vector<double> system(hessians + leaf * size, hessians + (leaf + 1) * size);
    for (std::size_t k = 0; k < n_outputs; ++k) system[k * n_outputs + k] += regularization;
    double* step = out_steps + leaf * n_outputs;
    std::copy_n(gradients + leaf * n_outputs, n_outputs, step);
    solve(system.data(), step, n_outputs);
  });
}

void class_leaf_sums(const float* targets, const float* weights, const float* gradients,
                     std::size_t n_outputs, std::size_t n_rows, const std::uint32_t* leaves,
                     std::size_t n_leaves, double* out, int n_threads) {
  parallel_for(n_outputs, n_threads, [&](std::size_t k) {
    std::vector<double> sums(3 * n_leaves, 0.0);
    add_class(targets, weights, gradients + k * n_rows, float(k), n_rows, leaves, sums.data());
    for (std::size_t field = 0; field < 3; ++field) {
      for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
        out[(field * n_leaves + leaf) * n_outputs + k] = sums[3 * leaf + field];
      }
    }
  });
}

void class_steps(const double* sums, const double* weights, std::size_t n_leaves,
                 std::size_t n_outputs, double regularization, double* out_steps, int n_threads) {
  const std::size_t size = n_leaves * n_outputs;
  parallel_for(n_leaves, n_threads, [&](std::size_t leaf) {
    const double* own = sums + leaf * n_outputs;
    class_step(own, own + size, own + 2 * size, weights[leaf], n_outputs, regularization,
               out_steps + leaf * n_outputs);
  });
}

}  // namespace ocelot
