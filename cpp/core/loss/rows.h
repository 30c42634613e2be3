// What the losses with one output are evaluated on.
#pragma once

#include <cstddef>
#include <span>

#include "loss/losses.h"
#include "shared/views.h"

namespace ocelot {

struct Loss {
  LossKind kind;
  double parameter;  // of the losses that have one
};

// Rows with their targets, weights and raw predictions.
struct LossRows {
  std::span<const float> targets;
  Weights weights;
  std::span<const double> raw;

  std::size_t size() const { return targets.size(); }

  LossRows part(std::size_t begin, std::size_t end) const {
    return {targets.subspan(begin, end - begin), weights.from(begin),
            raw.subspan(begin, end - begin)};
  }
};

}  // namespace ocelot
