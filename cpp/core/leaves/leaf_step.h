// One step of the values of leaves, from the sums over their rows.
#pragma once

namespace ocelot {

// How far a leaf goes: rate * gradient / (hessian + regularization) with newton, else over weight;
// nowhere where it weighs less than min_weight.
struct LeafStep {
  bool newton;
  double regularization, min_weight, rate;

  double operator()(double gradient, double hessian, double weight) const {
    if (weight < min_weight) return 0;
    return rate * (gradient / ((newton ? hessian : weight) + regularization));
  }
};

}  // namespace ocelot
