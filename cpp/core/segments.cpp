#include "segments.h"

#include <memory>
#include <vector>

#include "derivatives.h"
#include "pool.h"

namespace ocelot {

double step_segments(LossKind kind, double parameter, const SegmentedRows& segmented,
                     const std::uint32_t* leaves, std::size_t n_leaves, const LeafStep& step,
                     double* raw, float* out_gradients, int n_threads) {
  const auto own_leaves = std::make_unique_for_overwrite<std::uint32_t[]>(segmented.n_rows);
  parallel_blocks(segmented.n_rows, 4096, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    for (std::size_t i = begin; i < end; ++i) {
                      own_leaves[i] = leaves[segmented.rows[i]];
                    }
                  });
  const float *targets = segmented.targets, *weights = segmented.weights;
  const std::vector<double> nowhere(n_leaves, 0.0);
  std::vector<double> sums(4 * n_leaves), values(n_leaves);
  double loss = 0;
  for (std::size_t j = 0; j < segmented.n_segments; ++j) {
    const std::size_t body = segmented.edges[j], end = segmented.edges[j + 1];
    leaf_sums(kind, parameter, targets, weights, raw, own_leaves.get(), body, n_leaves,
              nowhere.data(), false, sums.data(), n_threads);
    for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
      const double gradient = sums[4 * leaf], hessian = sums[4 * leaf + 1];
      const double weight = sums[4 * leaf + 3];
      const double value = gradient / ((step.newton ? hessian : weight) + step.regularization);
      values[leaf] = weight < step.min_weight ? 0.0 : step.rate * value;
    }
    add_leaf_values(own_leaves.get(), values.data(), 1, end, raw, n_threads);
    loss += loss_gradients(kind, parameter, targets + body, weights ? weights + body : nullptr,
                           raw + body, end - body, out_gradients + body, n_threads);
    raw += end;
  }
  return loss;
}

}  // namespace ocelot
