#include "loss/derivatives.h"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <vector>

#include "shared/pool.h"

namespace ocelot {
namespace {

constexpr std::size_t block_size = 256;  // rows whose temporaries stay in the first-level cache
constexpr std::size_t rows_per_task = 1024;
constexpr std::size_t n_lanes = 8;

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

OCELOT_INLINE double product_of(const double* values, std::size_t n) {
  double lanes[n_lanes];
  std::fill(lanes, lanes + n_lanes, 1.0);
  std::size_t i = 0;
  for (; i + n_lanes <= n; i += n_lanes) {
    for (std::size_t k = 0; k < n_lanes; ++k) lanes[k] *= values[i + k];
  }
  double product = 1;
  for (; i < n; ++i) product *= values[i];
  for (const double lane : lanes) product *= lane;
  return product;
}

// The loops below copy the pointers of a view first: what they write could change the view, for
// all that the compiler knows.

template <bool weighted, class Formula>
OCELOT_INLINE double differentiate(const Formula& loss, const LossRows& rows, float* out) {
  constexpr bool logarithmic = std::is_same_v<decltype(loss(0, 0)), LogarithmicDerivatives>;
  const float *const targets = rows.targets.data(), *const weights = rows.weights.data;
  const double* const raw = rows.raw.data();
  const std::size_t n = rows.size();
  double losses[block_size], factors[block_size];
  double sum = 0;
  for (std::size_t begin = 0; begin < n; begin += block_size) {
    const std::size_t count = std::min(block_size, n - begin);
    for (std::size_t i = 0; i < count; ++i) {
      const auto d = loss(targets[begin + i], raw[begin + i]);
      out[begin + i] = float(d.gradient);
      if constexpr (weighted) {
        losses[i] = double(weights[begin + i]) * loss_of(d);
      } else if constexpr (logarithmic) {
        losses[i] = d.rest;
        factors[i] = d.factor;
      } else {
        losses[i] = d.loss;
      }
    }
    sum += sum_of(losses, count);
    if constexpr (logarithmic && !weighted) sum -= vector_log(product_of(factors, count));
  }
  return sum;
}

// One addition of four numbers per row: gradient, hessian, weight and nothing.
typedef double FourSums __attribute__((vector_size(32), aligned(8), may_alias));

// Row i adds to copy i mod n_copies of its leaf. An addition waits until the one before it to the
// same place is in memory, and rows that follow each other are often of one leaf.
constexpr std::size_t n_copies = 4;

template <bool weighted, class Formula>
OCELOT_INLINE void add_to_leaves(const Formula& loss, const LossRows& rows,
                                 const std::uint32_t* leaves, FourSums* sums) {
  const float *const targets = rows.targets.data(), *const weights = rows.weights.data;
  const double* const raw = rows.raw.data();
  const std::size_t n = rows.size();
  double gradient[block_size], hessian[block_size];
  for (std::size_t begin = 0; begin < n; begin += block_size) {
    const std::size_t count = std::min(block_size, n - begin);
    const auto weight = [&](std::size_t i) { return weighted ? double(weights[begin + i]) : 1.0; };
    for (std::size_t i = 0; i < count; ++i) {
      const auto d = loss(targets[begin + i], raw[begin + i]);
      gradient[i] = weight(i) * d.gradient;
      hessian[i] = weight(i) * d.hessian;
    }
    const auto add = [&](std::size_t i, std::size_t copy) {
      const FourSums own{gradient[i], hessian[i], weight(i), 0.0};
      sums[leaves[begin + i] * n_copies + copy] += own;
    };
    std::size_t i = 0;
    for (; i + n_copies <= count; i += n_copies) {
      for (std::size_t copy = 0; copy < n_copies; ++copy) add(i + copy, copy);
    }
    for (std::size_t copy = 0; i + copy < count; ++copy) add(i + copy, copy);
  }
}

// In lanes, like sum_of.
template <bool with_loss, bool weighted, class Formula>
OCELOT_INLINE DerivativeSums sum_in_lanes(const Formula& loss, const LossRows& rows, double step) {
  const float *const targets = rows.targets.data(), *const weights = rows.weights.data;
  const double* const raw = rows.raw.data();
  const std::size_t n = rows.size();
  double gradient[n_lanes] = {}, hessian[n_lanes] = {}, value[n_lanes] = {}, weight[n_lanes] = {};
  const auto add = [&](std::size_t i, std::size_t k) {
    const auto d = loss(targets[i], raw[i] + step);
    const double w = weighted ? double(weights[i]) : 1.0;
    gradient[k] += w * d.gradient;
    hessian[k] += w * d.hessian;
    if (with_loss) value[k] += w * loss_of(d);
    weight[k] += w;
  };
  std::size_t i = 0;
  for (; i + n_lanes <= n; i += n_lanes) {
    for (std::size_t k = 0; k < n_lanes; ++k) add(i + k, k);
  }
  for (std::size_t k = 0; i + k < n; ++k) add(i + k, k);
  DerivativeSums sums{0, 0, 0, 0};
  for (std::size_t k = 0; k < n_lanes; ++k) {
    sums += {gradient[k], hessian[k], value[k], weight[k]};
  }
  return sums;
}

// Three functions per loss. Only plain functions are compiled for every CPU level, not templates.
#define OCELOT_LOSS(name, Formula, construct)                                                      \
  OCELOT_HOT double name##_gradients(double parameter, const LossRows& rows, float* out) {         \
    (void)parameter;                                                                               \
    const Formula loss construct;                                                                  \
    return rows.weights ? differentiate<true>(loss, rows, out)                                     \
                        : differentiate<false>(loss, rows, out);                                   \
  }                                                                                                \
  OCELOT_HOT void name##_sums(double parameter, const LossRows& rows, const std::uint32_t* leaves, \
                              FourSums* sums) {                                                    \
    (void)parameter;                                                                               \
    const Formula loss construct;                                                                  \
    rows.weights ? add_to_leaves<true>(loss, rows, leaves, sums)                                   \
                 : add_to_leaves<false>(loss, rows, leaves, sums);                                 \
  }                                                                                                \
  OCELOT_HOT void name##_leaf(double parameter, const LossRows& rows, double step, bool with_loss, \
                              DerivativeSums& out) {                                               \
    (void)parameter;                                                                               \
    const Formula loss construct;                                                                  \
    if (with_loss) {                                                                               \
      out = rows.weights ? sum_in_lanes<true, true>(loss, rows, step)                              \
                         : sum_in_lanes<true, false>(loss, rows, step);                            \
    } else {                                                                                       \
      out = rows.weights ? sum_in_lanes<false, true>(loss, rows, step)                             \
                         : sum_in_lanes<false, false>(loss, rows, step);                           \
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

struct LossLoops {
  decltype(&rmse_gradients) gradients;
  decltype(&rmse_sums) sums;
  decltype(&rmse_leaf) leaf;
};

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

}  // namespace

double loss_gradients(const Loss& loss, const LossRows& rows, float* out_gradients, int n_threads) {
  std::vector<double> losses((rows.size() + rows_per_task - 1) / rows_per_task);
  parallel_blocks(rows.size(), rows_per_task, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t block) {
                    losses[block] =
                        gradients_of_rows(loss, rows.part(begin, end), out_gradients + begin);
                  });
  return std::accumulate(losses.begin(), losses.end(), 0.0);
}

double gradients_of_rows(const Loss& loss, const LossRows& rows, float* out_gradients) {
  return loops_of(loss.kind).gradients(loss.parameter, rows, out_gradients);
}

void sum_rows_by_leaf(const Loss& loss, const LossRows& rows, const std::uint32_t* leaves,
                      std::size_t n_leaves, double* out) {
  std::vector<FourSums> copies(n_leaves * n_copies);
  loops_of(loss.kind).sums(loss.parameter, rows, leaves, copies.data());
  for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
    FourSums sums = copies[leaf * n_copies];
    for (std::size_t k = 1; k < n_copies; ++k) sums += copies[leaf * n_copies + k];
    for (std::size_t f = 0; f < 3; ++f) out[3 * leaf + f] += sums[f];
  }
}

DerivativeSums sum_leaf(const Loss& loss, const LossRows& rows, double step, bool with_loss) {
  DerivativeSums sums;
  loops_of(loss.kind).leaf(loss.parameter, rows, step, with_loss, sums);
  return sums;
}

}  // namespace ocelot
