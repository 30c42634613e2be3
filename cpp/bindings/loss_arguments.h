// Arguments that several kernels of losses and leaves take, as the views they make up.
#pragma once

#include "arrays.h"
#include "loss/rows.h"
#include "loss/softmax.h"

namespace ocelot::bindings {

inline Loss loss_of(int kind, double parameter) {
  require(kind >= 0 && kind <= int(LossKind::gamma), "kind: unknown loss");
  return {LossKind(kind), parameter};
}

inline LossRows loss_rows(const In<float, 1>& targets, const OptionalWeights& weights,
                          std::span<const double> raw) {
  require(raw.size() == targets.shape(0), "raw: one per row is needed");
  return {span_of(targets), weights_of(weights, targets.shape(0)), raw};
}

inline ClassRows class_rows(const In<float, 1>& targets, const OptionalWeights& weights,
                            const In<double, 2>& raw) {
  require(raw.shape(1) == targets.shape(0), "raw: one per row is needed");
  require_contents_classes(targets, raw.shape(0), "targets: no such class");
  return {span_of(targets), weights_of(weights, targets.shape(0)), matrix_of(raw)};
}

}  // namespace ocelot::bindings
