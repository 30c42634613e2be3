#include "sampling.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "pool.h"

namespace ocelot {
namespace {

constexpr std::size_t block_size = 8192;

// mu with sum(min(1, size / mu)) = wanted. The rows above mu count one each, so mu is
// (sum of the sizes below it) / (wanted - number above it).
double find_threshold(std::vector<double> sizes, double wanted) {
  std::sort(sizes.begin(), sizes.end());
  std::vector<double> sums(sizes.size() + 1, 0.0);
  for (std::size_t i = 0; i < sizes.size(); ++i) sums[i + 1] = sums[i] + sizes[i];
  for (std::size_t above = 0; above < sizes.size() && double(above) < wanted; ++above) {
    const std::size_t n_below = sizes.size() - above;
    const double threshold = sums[n_below] / (wanted - double(above));
    if (sizes[n_below - 1] <= threshold) return threshold;
  }
  return 0.0;
}

}  // namespace

void minimal_variance_weights(const float* gradients, const float* weights, const float* uniform,
                              std::size_t n_outputs, std::size_t n_rows, double regularization,
                              double fraction, float* out_weights, int n_threads) {
  parallel_blocks(
      n_rows, block_size, n_threads, [&](std::size_t begin, std::size_t end, std::size_t) {
        std::vector<double> sizes(end - begin);
        for (std::size_t i = 0; i < sizes.size(); ++i) {
          const double weight = weights ? weights[begin + i] : 1.0f;
          double square = regularization;
          for (std::size_t k = 0; k < n_outputs; ++k) {
            const double gradient = weight * gradients[k * n_rows + begin + i];
            square += gradient * gradient;
          }
          sizes[i] = std::sqrt(square);
        }
        const double threshold = find_threshold(sizes, fraction * double(sizes.size()));
        for (std::size_t i = 0; i < sizes.size(); ++i) {
          const double probability = sizes[i] < threshold ? sizes[i] / threshold : 1.0;
          const bool kept = double(uniform[begin + i]) < probability;
          out_weights[begin + i] = kept ? float(1.0 / probability) : 0.0f;
        }
      });
}

}  // namespace ocelot
