#include "leaves/line_search.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "loss/derivatives.h"
#include "shared/pool.h"

namespace ocelot {
namespace {

constexpr std::size_t rows_per_task = 1024;
constexpr double negligible = 1e-8;
constexpr int most_halvings = 10;

// Leaves of at least this many rows are worth all threads, if they are also a large part of the
// rows.
constexpr std::size_t large_leaf = 1 << 14;

// The rows of one leaf, side by side, and their sums at any step.
class GatheredLeaf {
 public:
  GatheredLeaf(const Loss& loss, int n_threads) : loss_(loss), n_threads_(n_threads) {}

  void gather(const LossRows& all, std::span<const std::uint32_t> rows) {
    targets_.resize(rows.size());
    raw_.resize(rows.size());
    if (all.weights) weights_.resize(rows.size());
    parallel_blocks(rows.size(), rows_per_task, n_threads_,
                    [&](std::size_t begin, std::size_t end, std::size_t) {
                      for (std::size_t i = begin; i < end; ++i) {
                        targets_[i] = all.targets[rows[i]];
                        raw_[i] = all.raw[rows[i]];
                        if (all.weights) weights_[i] = all.weights[rows[i]];
                      }
                    });
    own_ = {targets_, {all.weights ? weights_.data() : nullptr}, raw_};
  }

  // Stretches are cut by the number of rows alone, and added up in order.
  DerivativeSums at(double step, bool with_loss) {
    partial_.resize((own_.size() + rows_per_task - 1) / rows_per_task);
    parallel_blocks(own_.size(), rows_per_task, n_threads_,
                    [&](std::size_t begin, std::size_t end, std::size_t block) {
                      partial_[block] = sum_leaf(loss_, own_.part(begin, end), step, with_loss);
                    });
    DerivativeSums sums{0, 0, 0, 0};
    for (const DerivativeSums& part : partial_) sums += part;
    return sums;
  }

 private:
  Loss loss_;
  int n_threads_;
  std::vector<float> targets_, weights_;
  std::vector<double> raw_;
  LossRows own_{};
  std::vector<DerivativeSums> partial_;
};

// Where a leaf comes to, from 0, at which it has these sums.
double leaf_value(GatheredLeaf& leaf, const LeafSteps& rule, DerivativeSums sums) {
  double value = 0;
  for (int s = 0; s < rule.steps; ++s) {
    double step =
        sums.gradient / ((rule.newton ? sums.hessian : sums.weight) + rule.regularization);
    DerivativeSums moved = leaf.at(value + step, false);
    if (!(moved.gradient * step >= 0)) {
      // It went too far, and goes back half way until it is no worse than before. Sums of many rows
      // have rounding noise, which must not decide.
      const double before = leaf.at(value, true).loss;
      const double limit = before + 1e-12 * std::fabs(before);
      int halvings = 0;
      for (moved = leaf.at(value + step, true); moved.loss > limit;
           moved = leaf.at(value + step, true)) {
        if (halvings++ == most_halvings) return value;
        step /= 2;
      }
    }
    value += step;
    sums = moved;
    if (!(std::fabs(step) > negligible)) break;
  }
  return value;
}

}  // namespace

void leaf_values(const Loss& loss, const LossRows& rows, const RowsByLeaf& leaves,
                 const LeafSteps& rule, const LeafResults& out, int n_threads) {
  const auto fill = [&](std::size_t leaf, GatheredLeaf& own) {
    own.gather(rows, leaves[leaf]);
    const DerivativeSums sums = own.at(0, false);
    out.weights[leaf] = sums.weight;
    out.values[leaf] = leaf_value(own, rule, sums);
  };
  const std::size_t large = std::max<std::size_t>(large_leaf, leaves.n_rows() / (2 * n_threads));
  GatheredLeaf by_all(loss, n_threads);
  std::vector<std::uint32_t> others;
  for (std::uint32_t leaf = 0; leaf < leaves.n_leaves(); ++leaf) {
    out.values[leaf] = out.weights[leaf] = 0;
    if (leaves[leaf].size() >= large) {
      fill(leaf, by_all);
    } else if (!leaves[leaf].empty()) {
      others.push_back(leaf);
    }
  }
  // The largest first, so that no thread is left alone with a large one at the end.
  std::stable_sort(others.begin(), others.end(), [&](std::uint32_t a, std::uint32_t b) {
    return leaves[a].size() > leaves[b].size();
  });
  parallel_for(others.size(), n_threads, [&](std::size_t i) {
    GatheredLeaf own(loss, 1);
    fill(others[i], own);
  });
}

}  // namespace ocelot
