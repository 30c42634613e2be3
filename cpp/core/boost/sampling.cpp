#include "boost/sampling.h"

#include <cmath>
#include <limits>
#include <vector>

#include "shared/multiversion.h"
#include "shared/pool.h"

namespace ocelot {
namespace {

constexpr std::size_t block_size = 8192;

struct Sides {
  double sum_below, n_above;
};

// No wider than a register of AVX2: compilers take wider vectors apart.
typedef double Lanes __attribute__((vector_size(32), aligned(8), may_alias));

OCELOT_HOT Sides part(const double* sizes, std::size_t n, double threshold) {
  constexpr std::size_t width = 4, n_vectors = 2, n_lanes = width * n_vectors;
  const Lanes zero{}, one = zero + 1.0, limit = zero + threshold;
  Lanes sums[n_vectors]{}, counts[n_vectors]{};
  std::size_t i = 0;
  for (; i + n_lanes <= n; i += n_lanes) {
#pragma GCC unroll 2
    for (std::size_t v = 0; v < n_vectors; ++v) {
      const Lanes size = *reinterpret_cast<const Lanes*>(sizes + i + v * width);
      sums[v] += size < limit ? size : zero;
      counts[v] += size < limit ? zero : one;
    }
  }
  Sides sides{0, 0};
  for (; i < n; ++i) {
    const bool below = sizes[i] < threshold;
    sides.sum_below += below ? sizes[i] : 0.0;
    sides.n_above += below ? 0.0 : 1.0;
  }
  for (std::size_t k = 0; k < n_lanes; ++k) {
    sides.sum_below += sums[k / width][k % width];
    sides.n_above += counts[k / width][k % width];
  }
  return sides;
}

// mu with sum(min(1, size / mu)) = wanted. The rows above mu count one each, so mu is (sum of the
// sizes below it) / (wanted - number above it). From above, this formula leads down to mu, and ends
// when no more rows come to be above it.
double find_threshold(const std::vector<double>& sizes, double wanted) {
  double threshold = std::numeric_limits<double>::infinity(), n_above = -1;
  for (;;) {
    const Sides sides = part(sizes.data(), sizes.size(), threshold);
    if (sides.n_above == n_above || !(wanted > sides.n_above)) return threshold;
    n_above = sides.n_above;
    threshold = sides.sum_below / (wanted - n_above);
  }
}

OCELOT_HOT void add_squares(const float* gradients, const float* weights, std::size_t n,
                            double* sums) {
  for (std::size_t i = 0; i < n; ++i) {
    const double gradient = (weights ? double(weights[i]) : 1.0) * double(gradients[i]);
    sums[i] += gradient * gradient;
  }
}

OCELOT_HOT void take_roots(double* values, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) values[i] = std::sqrt(values[i]);
}

// A row is kept with probability min(1, size / threshold), and then weighs its inverse.
OCELOT_HOT void draw(const double* sizes, std::size_t n, double threshold, const float* uniform,
                     float* out) {
  for (std::size_t i = 0; i < n; ++i) {
    const double probability = sizes[i] < threshold ? sizes[i] / threshold : 1.0;
    const float inverse = float(1.0 / probability);
    out[i] = double(uniform[i]) < probability ? inverse : 0.0f;
  }
}

}  // namespace

void minimal_variance_weights(const Matrix<const float>& gradients, Weights weights,
                              const float* uniform, const MinimalVariance& rule, float* out_weights,
                              int n_threads) {
  parallel_blocks(gradients.stride, block_size, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    std::vector<double> sizes(end - begin, rule.regularization);
                    const std::size_t n = sizes.size();
                    for (std::size_t k = 0; k < gradients.n_lines; ++k) {
                      add_squares(gradients[k] + begin, weights.from(begin).data, n, sizes.data());
                    }
                    take_roots(sizes.data(), n);
                    const double threshold = find_threshold(sizes, rule.fraction * double(n));
                    draw(sizes.data(), n, threshold, uniform + begin, out_weights + begin);
                  });
}

}  // namespace ocelot
