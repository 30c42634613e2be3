#include "leaves/quantiles.h"

#include <algorithm>
#include <vector>

#include "shared/pool.h"

namespace ocelot {
namespace {

struct Residual {
  double value, weight;
};

// Reorders the residuals; total is the sum of their weights.
double quantile_of(std::vector<Residual>& residuals, double total, double alpha) {
  if (!(total > 0)) return 0;
  std::sort(residuals.begin(), residuals.end(),
            [](const Residual& a, const Residual& b) { return a.value < b.value; });
  // Rounding of alpha * total must not skip a value whose weight reaches it exactly.
  const double needed = alpha * total * (1.0 - 1e-12);
  double reached = 0, quantile = 0;
  for (const Residual& residual : residuals) {
    if (!(residual.weight > 0)) continue;
    quantile = residual.value;
    reached += residual.weight;
    if (reached >= needed) break;
  }
  return quantile;
}

}  // namespace

void leaf_quantiles(double alpha, const LossRows& rows, const RowsByLeaf& leaves,
                    const LeafResults& out, int n_threads) {
  parallel_for(leaves.n_leaves(), n_threads, [&](std::size_t leaf) {
    std::vector<Residual> residuals;
    residuals.reserve(leaves[leaf].size());
    double total = 0;
    for (const std::uint32_t row : leaves[leaf]) {
      residuals.push_back({double(rows.targets[row]) - rows.raw[row], rows.weights[row]});
      total += residuals.back().weight;
    }
    out.values[leaf] = quantile_of(residuals, total, alpha);
    out.weights[leaf] = total;
  });
}

}  // namespace ocelot
