#include "derivatives.h"

#include <algorithm>
#include <vector>

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

// One pair of functions a loss, so that each is compiled for every CPU level.
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

using GradientsOfRows = double (*)(double, const float*, const float*, const double*, std::size_t,
                                   float*);
using SumsOfRows = void (*)(double, const float*, const float*, const double*, const std::uint32_t*,
                            std::size_t, const double*, bool, double*);
struct LossFunctions {
  GradientsOfRows gradients;
  SumsOfRows sums;
};

LossFunctions functions_of(LossKind kind) {
  switch (kind) {
    case LossKind::rmse: return {rmse_gradients, rmse_sums};
    case LossKind::logloss: return {logloss_gradients, logloss_sums};
    case LossKind::mae: return {mae_gradients, mae_sums};
    case LossKind::quantile: return {quantile_gradients, quantile_sums};
    case LossKind::huber: return {huber_gradients, huber_sums};
    case LossKind::poisson: return {poisson_gradients, poisson_sums};
    case LossKind::tweedie: return {tweedie_gradients, tweedie_sums};
    case LossKind::gamma: return {gamma_gradients, gamma_sums};
  }
  return {rmse_gradients, rmse_sums};
}

double sum_in_order(const std::vector<double>& parts) {
  double sum = 0;
  for (const double part : parts) sum += part;
  return sum;
}

}  // namespace

double loss_gradients(LossKind kind, double parameter, const float* targets, const float* weights,
                      const double* raw, std::size_t n_rows, float* out_gradients, int n_threads) {
  const GradientsOfRows gradients = functions_of(kind).gradients;
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
  const SumsOfRows add = functions_of(kind).sums;
  sum_by_leaf(n_rows, n_leaves * 4, out, n_threads,
              [&](std::size_t begin, std::size_t end, double* sums) {
                add(parameter, targets + begin, weights ? weights + begin : nullptr, raw + begin,
                    leaves + begin, end - begin, leaf_steps, with_loss, sums);
              });
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
