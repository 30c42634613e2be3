#include "sampling.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "pool.h"

namespace ocelot {
namespace {

constexpr std::size_t block_size = 8192;

// mu with sum(min(1, size / mu)) = wanted. The rows above mu count one each, so mu is (sum of the
// sizes up to it) / (wanted - number above it). Halves the sizes in question until none is left.
double find_threshold(std::vector<double>& sizes, double wanted) {
  double sum_below = 0, n_above = 0;
  auto begin = sizes.begin(), end = sizes.end();
  while (begin != end) {
    const auto middle = begin + (end - begin) / 2;
    std::nth_element(begin, middle, end);
    const double sum = std::accumulate(begin, middle + 1, sum_below);
    const double n_beyond = n_above + double(end - middle - 1);
    if (sum + n_beyond * *middle >= wanted * *middle) {
      sum_below = sum;  // mu is at least the middle size
      begin = middle + 1;
    } else {
      n_above = n_beyond + 1;
      end = middle;
    }
  }
  return wanted > n_above ? sum_below / (wanted - n_above) : 0.0;
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
        std::vector<double> searched = sizes;
        const double threshold = find_threshold(searched, fraction * double(sizes.size()));
        for (std::size_t i = 0; i < sizes.size(); ++i) {
          const double probability = sizes[i] < threshold ? sizes[i] / threshold : 1.0;
          const bool kept = double(uniform[begin + i]) < probability;
          out_weights[begin + i] = kept ? float(1.0 / probability) : 0.0f;
        }
      });
}

}  // namespace ocelot
