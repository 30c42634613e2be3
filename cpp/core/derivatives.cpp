#include "derivatives.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "loss_loops.h"
#include "pool.h"
#include "sum_by_leaf.h"

namespace ocelot {
namespace {

constexpr std::size_t block_size = 256;  // rows whose temporaries stay in the first-level cache
constexpr std::size_t rows_per_task = 4096;
constexpr std::size_t n_lanes = 8;

// Gradient, hessian, loss and weight of a leaf: one addition of four numbers a row.
typedef double Sums __attribute__((vector_size(32), aligned(8), may_alias));

// Sums in eight lanes: vector instructions may not reorder a plain sum.
OCELOT_INLINE double sum_of(const double* values, std::size_t n) {
  double lanes[n_lanes] = {};
  std::size_t i = 0;
  for (; i + n_lanes <= n; i += n_lanes) {
    for (std::size_t k = 0; k < n_lanes; ++k) lanes[k] += values[i + k];
  }
  double sum = 0;
  for (; i < n; ++i) sum += values[i];
  for (const double lane : lanes) sum += lane;
  return sum;
}

template <class Loss>
OCELOT_INLINE double gradients_of_rows(const Loss& loss, const float* targets, const float* weights,
                                       const double* raw, std::size_t n, float* out) {
  double losses[block_size];
  double sum = 0;
  for (std::size_t begin = 0; begin < n; begin += block_size) {
    const std::size_t count = std::min(block_size, n - begin);
    for (std::size_t i = 0; i < count; ++i) {
      const Derivatives d = loss(targets[begin + i], raw[begin + i]);
      out[begin + i] = float(d.gradient);
      losses[i] = d.loss;
    }
    if (weights) {
      for (std::size_t i = 0; i < count; ++i) losses[i] *= double(weights[begin + i]);
    }
    sum += sum_of(losses, count);
  }
  return sum;
}

template <bool with_loss, class Loss>
OCELOT_INLINE void add_to_leaves(const Loss& loss, const float* targets, const float* weights,
                                 const double* raw, const std::uint32_t* leaves, std::size_t n,
                                 const double* leaf_steps, double* sums) {
  double prediction[block_size], weight[block_size];
  double gradient[block_size], hessian[block_size], value[block_size];
  for (std::size_t begin = 0; begin < n; begin += block_size) {
    const std::size_t count = std::min(block_size, n - begin);
    for (std::size_t i = 0; i < count; ++i) {
      prediction[i] = raw[begin + i] + leaf_steps[leaves[begin + i]];
      weight[i] = weights ? weights[begin + i] : 1.0f;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const Derivatives d = loss(targets[begin + i], prediction[i]);
      gradient[i] = weight[i] * d.gradient;
      hessian[i] = weight[i] * d.hessian;
      value[i] = with_loss ? weight[i] * d.loss : 0.0;
    }
    for (std::size_t i = 0; i < count; ++i) {
      Sums* leaf = reinterpret_cast<Sums*>(sums + 4 * std::size_t(leaves[begin + i]));
      *leaf += Sums{gradient[i], hessian[i], value[i], weight[i]};
    }
  }
}

// The four sums of rows that are all in one leaf, at raw + step; in lanes, as sum_of.
template <bool with_loss, bool weighted, class Loss>
OCELOT_INLINE void sum_leaf(const Loss& loss, const float* targets, const float* weights,
                            const double* raw, std::size_t n, double step, double* out) {
  double gradient[n_lanes] = {}, hessian[n_lanes] = {}, value[n_lanes] = {}, weight[n_lanes] = {};
  const auto add = [&](std::size_t i, std::size_t k) {
    const Derivatives d = loss(targets[i], raw[i] + step);
    const double w = weighted ? double(weights[i]) : 1.0;
    gradient[k] += w * d.gradient;
    hessian[k] += w * d.hessian;
    if (with_loss) value[k] += w * d.loss;
    weight[k] += w;
  };
  std::size_t i = 0;
  for (; i + n_lanes <= n; i += n_lanes) {
    for (std::size_t k = 0; k < n_lanes; ++k) add(i + k, k);
  }
  for (std::size_t k = 0; i + k < n; ++k) add(i + k, k);
  for (std::size_t f = 0; f < 4; ++f) out[f] = 0;
  for (std::size_t k = 0; k < n_lanes; ++k) {
    out[0] += gradient[k];
    out[1] += hessian[k];
    out[2] += value[k];
    out[3] += weight[k];
  }
}

// Three functions a loss, so that each is compiled for every CPU level.
#define OCELOT_LOSS(name, Type, construct)                                                         \
  OCELOT_HOT double name##_gradients(double parameter, const float* targets, const float* weights, \
                                     const double* raw, std::size_t n, float* out) {               \
    (void)parameter;                                                                               \
    return gradients_of_rows(Type construct, targets, weights, raw, n, out);                       \
  }                                                                                                \
  OCELOT_HOT void name##_sums(double parameter, const float* targets, const float* weights,        \
                              const double* raw, const std::uint32_t* leaves, std::size_t n,       \
                              const double* leaf_steps, bool with_loss, double* sums) {            \
    (void)parameter;                                                                               \
    const Type loss construct;                                                                     \
    if (with_loss) {                                                                               \
      add_to_leaves<true>(loss, targets, weights, raw, leaves, n, leaf_steps, sums);               \
    } else {                                                                                       \
      add_to_leaves<false>(loss, targets, weights, raw, leaves, n, leaf_steps, sums);              \
    }                                                                                              \
  }                                                                                                \
  OCELOT_HOT void name##_leaf(double parameter, const float* targets, const float* weights,        \
                              const double* raw, std::size_t n, double step, bool with_loss,       \
                              double* out) {                                                       \
    (void)parameter;                                                                               \
    const Type loss construct;                                                                     \
    if (with_loss) {                                                                               \
      weights ? sum_leaf<true, true>(loss, targets, weights, raw, n, step, out)                    \
              : sum_leaf<true, false>(loss, targets, weights, raw, n, step, out);                  \
    } else {                                                                                       \
      weights ? sum_leaf<false, true>(loss, targets, weights, raw, n, step, out)                   \
              : sum_leaf<false, false>(loss, targets, weights, raw, n, step, out);                 \
    }                                                                                              \
  }
OCELOT_LOSS(rmse, RmseLoss, {})
OCELOT_LOSS(logloss, LoglossLoss, {})
OCELOT_LOSS(mae, MaeLoss, {})
OCELOT_LOSS(quantile, QuantileLoss, {parameter})
OCELOT_LOSS(huber, HuberLoss, {parameter})
OCELOT_LOSS(poisson, PoissonLoss, {})
OCELOT_LOSS(tweedie, TweedieLoss, {parameter})
OCELOT_LOSS(gamma, GammaLoss, {})
#undef OCELOT_LOSS

double sum_in_order(const std::vector<double>& parts) {
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}

}  // namespace

LossLoops loops_of(LossKind kind) {
  switch (kind) {
    case LossKind::rmse: return {rmse_gradients, rmse_sums, rmse_leaf};
    case LossKind::logloss: return {logloss_gradients, logloss_sums, logloss_leaf};
    case LossKind::mae: return {mae_gradients, mae_sums, mae_leaf};
    case LossKind::quantile: return {quantile_gradients, quantile_sums, quantile_leaf};
    case LossKind::huber: return {huber_gradients, huber_sums, huber_leaf};
    case LossKind::poisson: return {poisson_gradients, poisson_sums, poisson_leaf};
    case LossKind::tweedie: return {tweedie_gradients, tweedie_sums, tweedie_leaf};
    case LossKind::gamma: return {gamma_gradients, gamma_sums, gamma_leaf};
  }
  return {rmse_gradients, rmse_sums, rmse_leaf};
}

double loss_gradients(LossKind kind, double parameter, const float* targets, const float* weights,
                      const double* raw, std::size_t n_rows, float* out_gradients, int n_threads) {
  const auto gradients = loops_of(kind).gradients;
  std::vector<double> losses((n_rows + rows_per_task - 1) / rows_per_task);
  parallel_blocks(
      n_rows, rows_per_task, n_threads, [&](std::size_t begin, std::size_t end, std::size_t block) {
        losses[block] = gradients(parameter, targets + begin, weights ? weights + begin : nullptr,
                                  raw + begin, end - begin, out_gradients + begin);
      });
  return sum_in_order(losses);
}

void leaf_sums(LossKind kind, double parameter, const float* targets, const float* weights,
               const double* raw, const std::uint32_t* leaves, std::size_t n_rows,
               std::size_t n_leaves, const double* leaf_steps, bool with_loss, double* out,
               int n_threads) {
  const auto add = loops_of(kind).sums;
  sum_by_leaf(n_rows, n_leaves * 4, out, n_threads,
              [&](std::size_t begin, std::size_t end, double* sums) {
                add(parameter, targets + begin, weights ? weights + begin : nullptr, raw + begin,
                    leaves + begin, end - begin, leaf_steps, with_loss, sums);
              });
}

namespace {

constexpr double negligible = 1e-8;
constexpr int most_halvings = 10;

// Gradient, hessian, loss and weight of every leaf at its own step.
class SortedRows {
 public:
  SortedRows(decltype(LossLoops::leaf) sum, double parameter, const float* targets,
             const float* weights, const double* raw, const std::uint32_t* rows,
             const std::uint32_t* leaf_offsets, std::size_t n_leaves, int n_threads)
      : sum_(sum), parameter_(parameter), n_threads_(n_threads), first_(n_leaves + 1) {
    const std::size_t begin = leaf_offsets[0], n_rows = leaf_offsets[n_leaves] - begin;
    targets_ = std::make_unique_for_overwrite<float[]>(n_rows);
    if (weights) weights_ = std::make_unique_for_overwrite<float[]>(n_rows);
    raw_ = std::make_unique_for_overwrite<double[]>(n_rows);
    parallel_blocks(n_rows, rows_per_task, n_threads,
                    [&](std::size_t from, std::size_t to, std::size_t) {
                      for (std::size_t i = from; i < to; ++i) {
                        const std::uint32_t row = rows[begin + i];
                        targets_[i] = targets[row];
                        raw_[i] = raw[row];
                        if (weights) weights_[i] = weights[row];
                      }
                    });
    // Stretches of one leaf each; how they are cut depends on the leaf alone.
    for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
      first_[leaf] = stretches_.size();
      for (std::size_t i = leaf_offsets[leaf]; i < leaf_offsets[leaf + 1]; i += rows_per_task) {
        const std::size_t end = std::min<std::size_t>(i + rows_per_task, leaf_offsets[leaf + 1]);
        stretches_.push_back({std::uint32_t(leaf), i - begin, end - begin});
      }
    }
    first_[n_leaves] = stretches_.size();
    partial_.resize(4 * stretches_.size());
  }

  // sums [n_leaves][4] of the leaves that are wanted, at steps [n_leaves]
  void sum(const std::vector<double>& steps, const std::vector<char>& wanted, bool with_loss,
           std::vector<double>& sums) {
    parallel_for(stretches_.size(), n_threads_, [&](std::size_t s) {
      const Stretch& own = stretches_[s];
      if (!wanted[own.leaf]) return;
      sum_(parameter_, targets_.get() + own.begin, weights_ ? weights_.get() + own.begin : nullptr,
           raw_.get() + own.begin, own.end - own.begin, steps[own.leaf], with_loss,
           &partial_[4 * s]);
    });
    for (std::size_t leaf = 0; leaf + 1 < first_.size(); ++leaf) {
      if (!wanted[leaf]) continue;
      for (std::size_t f = 0; f < 4; ++f) {
        sums[4 * leaf + f] = 0;
        for (std::size_t s = first_[leaf]; s < first_[leaf + 1]; ++s) {
          sums[4 * leaf + f] += partial_[4 * s + f];
        }
      }
    }
  }

 private:
  struct Stretch {
    std::uint32_t leaf;
    std::size_t begin, end;
  };

  decltype(LossLoops::leaf) sum_;
  double parameter_;
  int n_threads_;
  std::unique_ptr<float[]> targets_, weights_;
  std::unique_ptr<double[]> raw_;
  std::vector<Stretch> stretches_;
  std::vector<std::size_t> first_;  // stretch of each leaf
  std::vector<double> partial_;
};

bool any(const std::vector<char>& flags) {
  return std::find(flags.begin(), flags.end(), 1) != flags.end();
}

}  // namespace

void leaf_values(LossKind kind, double parameter, const float* targets, const float* weights,
                 const double* raw, const std::uint32_t* rows, const std::uint32_t* leaf_offsets,
                 std::size_t n_leaves, const LeafSteps& rule, double* out_values,
                 double* out_weights, int n_threads) {
  SortedRows sorted(loops_of(kind).leaf, parameter, targets, weights, raw, rows, leaf_offsets,
                    n_leaves, n_threads);
  std::vector<double> values(n_leaves, 0.0), steps(n_leaves, 0.0), trial(n_leaves, 0.0);
  std::vector<double> sums(4 * n_leaves, 0.0), trial_sums(4 * n_leaves), losses(4 * n_leaves);
  std::vector<char> moving(n_leaves), worse(n_leaves);
  for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
    moving[leaf] = leaf_offsets[leaf] < leaf_offsets[leaf + 1];
  }
  sorted.sum(values, moving, false, sums);
  for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) out_weights[leaf] = sums[4 * leaf + 3];

  for (int s = 0; s < rule.steps && any(moving); ++s) {
    for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
      const double* own = &sums[4 * leaf];
      steps[leaf] = own[0] / ((rule.newton ? own[1] : own[3]) + rule.regularization);
      trial[leaf] = values[leaf] + steps[leaf];
    }
    sorted.sum(trial, moving, false, trial_sums);
    const auto overshot = [&](std::size_t leaf) {
      return moving[leaf] && !(trial_sums[4 * leaf] * steps[leaf] >= 0);
    };
    for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) worse[leaf] = overshot(leaf);
    if (any(worse)) {
      // Those that went too far go back half way until they are no worse than before.
      const std::vector<char> in_question = worse;
      sorted.sum(values, in_question, true, losses);
      for (int halving = 0; any(worse); ++halving) {
        sorted.sum(trial, worse, true, trial_sums);
        for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
          if (!worse[leaf]) continue;
          const double before = losses[4 * leaf + 2];
          // Sums of many rows have rounding noise; it must not decide.
          worse[leaf] = trial_sums[4 * leaf + 2] > before + 1e-12 * std::fabs(before);
          if (!worse[leaf]) continue;
          if (halving == most_halvings) {
            moving[leaf] = worse[leaf] = 0;
          } else {
            steps[leaf] /= 2;
            trial[leaf] = values[leaf] + steps[leaf];
          }
        }
      }
    }
    for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
      if (!moving[leaf]) continue;
      values[leaf] = trial[leaf];
      std::copy_n(&trial_sums[4 * leaf], 4, &sums[4 * leaf]);
      moving[leaf] = std::fabs(steps[leaf]) > negligible;
    }
  }
  std::copy(values.begin(), values.end(), out_values);
}

void leaf_quantiles(double alpha, const float* targets, const float* weights, const double* raw,
                    const std::uint32_t* rows, const std::uint32_t* leaf_offsets,
                    std::size_t n_leaves, double* out, int n_threads) {
  struct Residual {
    double value, weight;
  };
  parallel_for(n_leaves, n_threads, [&](std::size_t leaf) {
    const std::size_t begin = leaf_offsets[leaf], end = leaf_offsets[leaf + 1];
    std::vector<Residual> residuals;
    residuals.reserve(end - begin);
    double total = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t row = rows[i];
      const double weight = weights ? weights[row] : 1.0f;
      residuals.push_back({double(targets[row]) - raw[row], weight});
      total += weight;
    }
    out[leaf] = 0.0;
    if (!(total > 0)) return;
    std::sort(residuals.begin(), residuals.end(),
              [](const Residual& a, const Residual& b) { return a.value < b.value; });
    // Rounding of alpha * total must not skip a value whose weight reaches it exactly.
    const double needed = alpha * total * (1.0 - 1e-12);
    double reached = 0;
    for (const Residual& residual : residuals) {
      reached += residual.weight;
      if (residual.weight > 0) out[leaf] = residual.value;
      if (reached >= needed && residual.weight > 0) return;
    }
  });
}

void add_leaf_values(const std::uint32_t* leaves, const double* leaf_values, std::size_t n_outputs,
                     std::size_t n_rows, double* raw, int n_threads) {
  parallel_blocks(n_rows, rows_per_task, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    for (std::size_t k = 0; k < n_outputs; ++k) {
                      double* const output = raw + k * n_rows;
                      for (std::size_t row = begin; row < end; ++row) {
                        output[row] += leaf_values[leaves[row] * n_outputs + k];
                      }
                    }
                  });
}

}  // namespace ocelot
