#include "loss/derivatives.h"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <vector>

#include "leaves/sum_by_leaf.h"
#include "loss/loss_loops.h"
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

template <bool weighted, class Loss>
OCELOT_INLINE double differentiate(const Loss& loss, const float* targets, const float* weights,
                                   const double* raw, std::size_t n, float* out) {
  constexpr bool logarithmic = std::is_same_v<decltype(loss(0, 0)), LogarithmicDerivatives>;
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

// One addition of four numbers a row: gradient, hessian, weight and nothing.
typedef double Sums __attribute__((vector_size(32), aligned(8), may_alias));

// Row i adds to copy i mod n_copies of its leaf. An addition waits until the one before it to the
// same place is in memory, and many rows in a row are often of one leaf.
constexpr std::size_t n_copies = 4;

template <bool weighted, class Loss>
OCELOT_INLINE void add_to_leaves(const Loss& loss, const float* targets, const float* weights,
                                 const double* raw, const std::uint32_t* leaves, std::size_t n,
                                 Sums* sums) {
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
      sums[leaves[begin + i] * n_copies + copy] += Sums{gradient[i], hessian[i], weight(i), 0.0};
    };
    std::size_t i = 0;
    for (; i + n_copies <= count; i += n_copies) {
      for (std::size_t copy = 0; copy < n_copies; ++copy) add(i + copy, copy);
    }
    for (std::size_t copy = 0; i + copy < count; ++copy) add(i + copy, copy);
  }
}

// The four sums of rows that are all in one leaf, at raw + step; in lanes, as sum_of.
template <bool with_loss, bool weighted, class Loss>
OCELOT_INLINE void sum_leaf(const Loss& loss, const float* targets, const float* weights,
                            const double* raw, std::size_t n, double step, double* out) {
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
    const Type loss construct;                                                                     \
    return weights ? differentiate<true>(loss, targets, weights, raw, n, out)                      \
                   : differentiate<false>(loss, targets, weights, raw, n, out);                    \
  }                                                                                                \
  OCELOT_HOT void name##_sums(double parameter, const float* targets, const float* weights,        \
                              const double* raw, const std::uint32_t* leaves, std::size_t n,       \
                              Sums* sums) {                                                        \
    (void)parameter;                                                                               \
    const Type loss construct;                                                                     \
    weights ? add_to_leaves<true>(loss, targets, weights, raw, leaves, n, sums)                    \
            : add_to_leaves<false>(loss, targets, weights, raw, leaves, n, sums);                  \
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

double gradients_of_rows(LossKind kind, double parameter, const float* targets,
                         const float* weights, const double* raw, std::size_t n_rows, float* out) {
  return loops_of(kind).gradients(parameter, targets, weights, raw, n_rows, out);
}

void sum_rows_by_leaf(LossKind kind, double parameter, const float* targets, const float* weights,
                      const double* raw, const std::uint32_t* leaves, std::size_t n_rows,
                      std::size_t n_leaves, double* out) {
  std::vector<Sums> copies(n_leaves * n_copies);
  loops_of(kind).sums(parameter, targets, weights, raw, leaves, n_rows, copies.data());
  for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
    Sums sums = copies[leaf * n_copies];
    for (std::size_t k = 1; k < n_copies; ++k) sums += copies[leaf * n_copies + k];
    for (std::size_t f = 0; f < 3; ++f) out[3 * leaf + f] += sums[f];
  }
}

OCELOT_HOT void add_values(const std::uint32_t* __restrict leaves, const double* __restrict values,
                           std::size_t stride, std::size_t n_rows, double* __restrict raw) {
  for (std::size_t row = 0; row < n_rows; ++row) raw[row] += values[leaves[row] * stride];
}

double loss_gradients(LossKind kind, double parameter, const float* targets, const float* weights,
                      const double* raw, std::size_t n_rows, float* out_gradients, int n_threads) {
  std::vector<double> losses((n_rows + rows_per_task - 1) / rows_per_task);
  parallel_blocks(
      n_rows, rows_per_task, n_threads, [&](std::size_t begin, std::size_t end, std::size_t block) {
        losses[block] =
            gradients_of_rows(kind, parameter, targets + begin, weights ? weights + begin : nullptr,
                              raw + begin, end - begin, out_gradients + begin);
      });
  return std::accumulate(losses.begin(), losses.end(), 0.0);
}

void step_leaves(LossKind kind, double parameter, const float* targets, const float* weights,
                 const std::uint32_t* leaves, std::size_t n_rows, std::size_t n_leaves,
                 const LeafStep& step, double* raw, double* out_values, double* out_weights,
                 int n_threads) {
  std::vector<double> sums(3 * n_leaves);
  sum_by_leaf(n_rows, sums.size(), sums.data(), n_threads,
              [&](std::size_t begin, std::size_t end, double* partial) {
                sum_rows_by_leaf(kind, parameter, targets + begin,
                                 weights ? weights + begin : nullptr, raw + begin, leaves + begin,
                                 end - begin, n_leaves, partial);
              });
  for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
    const double* const own = &sums[3 * leaf];
    out_values[leaf] = double(float(step(own[0], own[1], own[2])));
    out_weights[leaf] = own[2];
  }
  add_leaf_values(leaves, out_values, 1, n_rows, raw, n_threads);
}

namespace {

constexpr double negligible = 1e-8;
constexpr int most_halvings = 10;

// Leaves of at least so many rows are worth all threads, if they are also a large part of the rows.
constexpr std::size_t large_leaf = 1 << 14;

// The rows of one leaf, side by side, and their sums at any step.
class LeafRows {
 public:
  struct Sums {
    double gradient, hessian, loss, weight;
  };

  LeafRows(decltype(LossLoops::leaf) sum, double parameter, int n_threads)
      : sum_(sum), parameter_(parameter), n_threads_(n_threads) {}

  void gather(const float* targets, const float* weights, const double* raw,
              const std::uint32_t* rows, std::size_t n_rows) {
    n_rows_ = n_rows;
    weighted_ = weights != nullptr;
    targets_.resize(n_rows);
    raw_.resize(n_rows);
    if (weights) weights_.resize(n_rows);
    parallel_blocks(n_rows, rows_per_task, n_threads_,
                    [&](std::size_t begin, std::size_t end, std::size_t) {
                      for (std::size_t i = begin; i < end; ++i) {
                        targets_[i] = targets[rows[i]];
                        raw_[i] = raw[rows[i]];
                        if (weights) weights_[i] = weights[rows[i]];
                      }
                    });
  }

  // Stretches are cut by the number of rows alone, and added up in order.
  Sums at(double step, bool with_loss) {
    partial_.resize((n_rows_ + rows_per_task - 1) / rows_per_task);
    parallel_blocks(n_rows_, rows_per_task, n_threads_,
                    [&](std::size_t begin, std::size_t end, std::size_t block) {
                      sum_(parameter_, &targets_[begin], weighted_ ? &weights_[begin] : nullptr,
                           &raw_[begin], end - begin, step, with_loss, &partial_[block].gradient);
                    });
    Sums sums{0, 0, 0, 0};
    for (const Sums& part : partial_) {
      sums.gradient += part.gradient;
      sums.hessian += part.hessian;
      sums.loss += part.loss;
      sums.weight += part.weight;
    }
    return sums;
  }

 private:
  decltype(LossLoops::leaf) sum_;
  double parameter_;
  int n_threads_;
  std::size_t n_rows_ = 0;
  bool weighted_ = false;
  std::vector<float> targets_, weights_;
  std::vector<double> raw_;
  std::vector<Sums> partial_;
};

// Where a leaf comes to, from 0.
double leaf_value(LeafRows& rows, const LeafSteps& rule, LeafRows::Sums sums) {
  double value = 0;
  for (int s = 0; s < rule.steps; ++s) {
    double step =
        sums.gradient / ((rule.newton ? sums.hessian : sums.weight) + rule.regularization);
    LeafRows::Sums moved = rows.at(value + step, false);
    if (!(moved.gradient * step >= 0)) {
      // It went too far, and goes back half way until it is no worse than before. Sums of many rows
      // have rounding noise; it must not decide.
      const double before = rows.at(value, true).loss;
      const double limit = before + 1e-12 * std::fabs(before);
      int halvings = 0;
      for (moved = rows.at(value + step, true); moved.loss > limit;
           moved = rows.at(value + step, true)) {
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

void leaf_values(LossKind kind, double parameter, const float* targets, const float* weights,
                 const double* raw, const std::uint32_t* rows, const std::uint32_t* leaf_offsets,
                 std::size_t n_leaves, const LeafSteps& rule, double* out_values,
                 double* out_weights, int n_threads) {
  const auto size_of = [&](std::size_t leaf) {
    return std::size_t(leaf_offsets[leaf + 1] - leaf_offsets[leaf]);
  };
  const auto fill = [&](std::size_t leaf, LeafRows& own) {
    own.gather(targets, weights, raw, rows + leaf_offsets[leaf], size_of(leaf));
    const LeafRows::Sums sums = own.at(0, false);
    out_weights[leaf] = sums.weight;
    out_values[leaf] = leaf_value(own, rule, sums);
  };
  const std::size_t n_rows = leaf_offsets[n_leaves] - leaf_offsets[0];
  const std::size_t large = std::max<std::size_t>(large_leaf, n_rows / (2 * n_threads));
  LeafRows by_all(loops_of(kind).leaf, parameter, n_threads);
  std::vector<std::uint32_t> others;
  for (std::uint32_t leaf = 0; leaf < n_leaves; ++leaf) {
    out_values[leaf] = out_weights[leaf] = 0;
    if (size_of(leaf) >= large) {
      fill(leaf, by_all);
    } else if (size_of(leaf) > 0) {
      others.push_back(leaf);
    }
  }
  // The largest first, so that no thread is left alone with a large one at the end.
  std::stable_sort(others.begin(), others.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return size_of(a) > size_of(b); });
  parallel_for(others.size(), n_threads, [&](std::size_t i) {
    LeafRows own(loops_of(kind).leaf, parameter, 1);
    fill(others[i], own);
  });
}

void leaf_quantiles(double alpha, const float* targets, const float* weights, const double* raw,
                    const std::uint32_t* rows, const std::uint32_t* leaf_offsets,
                    std::size_t n_leaves, double* out_values, double* out_weights, int n_threads) {
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
    out_values[leaf] = 0.0;
    out_weights[leaf] = total;
    if (!(total > 0)) return;
    std::sort(residuals.begin(), residuals.end(),
              [](const Residual& a, const Residual& b) { return a.value < b.value; });
    // Rounding of alpha * total must not skip a value whose weight reaches it exactly.
    const double needed = alpha * total * (1.0 - 1e-12);
    double reached = 0;
    for (const Residual& residual : residuals) {
      reached += residual.weight;
      if (residual.weight > 0) out_values[leaf] = residual.value;
      if (reached >= needed && residual.weight > 0) return;
    }
  });
}

void add_leaf_values(const std::uint32_t* leaves, const double* leaf_values, std::size_t n_outputs,
                     std::size_t n_rows, double* raw, int n_threads) {
  parallel_blocks(n_rows, rows_per_task, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    for (std::size_t k = 0; k < n_outputs; ++k) {
                      add_values(leaves + begin, leaf_values + k, n_outputs, end - begin,
                                 raw + k * n_rows + begin);
                    }
                  });
}

}  // namespace ocelot
