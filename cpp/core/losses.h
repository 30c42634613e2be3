// The losses with one output: value and derivatives at a raw prediction.
#pragma once

#include <cmath>

#include "vector_math.h"

namespace ocelot {

// gradient is the negative first derivative of the loss, hessian the second derivative.
struct Derivatives {
  double gradient, hessian, loss;
};

enum class LossKind { rmse, logloss, mae, quantile, huber, poisson, tweedie, gamma };

struct RmseLoss {
  OCELOT_INLINE Derivatives operator()(double target, double raw) const {
    const double d = target - raw;
    return {d, 1.0, d * d};
  }
};

// Also cross-entropy: the target is a probability.
struct LoglossLoss {
  OCELOT_INLINE Derivatives operator()(double target, double raw) const {
    const double e = vector_exp(-std::fabs(raw));
    const double inverse = 1.0 / (1.0 + e);
    const double p = raw >= 0 ? inverse : e * inverse;
    const double positive = raw > 0 ? raw : 0.0;
    return {target - p, e * inverse * inverse, positive - target * raw + vector_log(1.0 + e)};
  }
};

struct QuantileLoss {
  double alpha;
  OCELOT_INLINE Derivatives operator()(double target, double raw) const {
    const double d = target - raw;
    const double slope = d > 0 ? alpha : alpha - 1.0;
    return {d == 0 ? 0.0 : slope, 0.0, slope * d};
  }
};

struct MaeLoss {
  OCELOT_INLINE Derivatives operator()(double target, double raw) const {
    const double d = target - raw;
    const double sign = d < 0 ? -1.0 : 1.0;
    return {d == 0 ? 0.0 : sign, 0.0, std::fabs(d)};
  }
};

struct HuberLoss {
  double delta;
  OCELOT_INLINE Derivatives operator()(double target, double raw) const {
    const double d = target - raw;
    const double size = std::fabs(d);
    const double limited = d > delta ? delta : (d < -delta ? -delta : d);
    const double inside = size <= delta ? 1.0 : 0.0;
    return {limited, inside, size <= delta ? 0.5 * d * d : delta * (size - 0.5 * delta)};
  }
};

struct PoissonLoss {
  OCELOT_INLINE Derivatives operator()(double target, double raw) const {
    const double mean = vector_exp(raw);
    return {target - mean, mean, mean - target * raw};
  }
};

struct TweedieLoss {
  double power;
  OCELOT_INLINE Derivatives operator()(double target, double raw) const {
    const double a = target * vector_exp((1.0 - power) * raw);
    const double b = vector_exp((2.0 - power) * raw);
    return {a - b, (power - 1.0) * a + (2.0 - power) * b, a / (power - 1.0) + b / (2.0 - power)};
  }
};

struct GammaLoss {
  OCELOT_INLINE Derivatives operator()(double target, double raw) const {
    const double ratio = target * vector_exp(-raw);
    return {ratio - 1.0, ratio, raw + ratio};
  }
};

}  // namespace ocelot
