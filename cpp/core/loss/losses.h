// The losses with one output: value and derivatives at a raw prediction.
#pragma once

#include <cmath>

#include "shared/vector_math.h"

namespace ocelot {

// gradient is the negative first derivative of the loss, hessian the second derivative.
struct Derivatives {
  double gradient, hessian, loss;
};

// The same where the loss is rest - log(factor), 1/2 <= factor <= 1: a sum over some hundred rows
// needs one logarithm, of the product of their factors.
struct LogarithmicDerivatives {
  double gradient, hessian, rest, factor;
};

OCELOT_INLINE double loss_of(const Derivatives& d) { return d.loss; }
OCELOT_INLINE double loss_of(const LogarithmicDerivatives& d) {
  return d.rest - vector_log(d.factor);
}

enum class LossKind { rmse, logloss, mae, quantile, huber, poisson, tweedie, gamma };

struct RmseLoss {
  OCELOT_INLINE Derivatives operator()(double target, double raw) const {
    const double d = target - raw;
    return {d, 1.0, d * d};
  }
};

// Also cross-entropy: the target is a probability.
struct LoglossLoss {
  OCELOT_INLINE LogarithmicDerivatives operator()(double target, double raw) const {
    const double x = -std::fabs(raw);
    const Ratio e = exp_ratio(x < -708.0 ? -708.0 : x);
    const double inverse = 1.0 / (e.numerator + e.denominator);
    const double small = e.numerator * inverse, large = e.denominator * inverse;
    const double positive = raw > 0 ? raw : 0.0;
    return {target - (raw >= 0 ? large : small), small * large, positive - target * raw, large};
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
