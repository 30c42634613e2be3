// Counts and sums of targets as whole numbers, so that it does not matter who adds first.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shared/multiversion.h"
#include "shared/views.h"

namespace ocelot {

// What a row adds to the count and to the sum of each target: weight and weight * target, rounded
// to units. units [n_targets + 1] are powers of two: what the integer 1 is worth in counts, then in
// the sums of each target.
class RowAddends {
 public:
  RowAddends(const Matrix<const float>& targets, Weights weights, const double* units)
      : targets_(targets), weights_(weights) {
    for (std::size_t f = 0; f <= targets.n_lines; ++f) per_unit_.push_back(1 / units[f]);
  }

  OCELOT_INLINE std::size_t n_targets() const { return targets_.n_lines; }

  OCELOT_INLINE std::int64_t count(std::size_t row) const {
    return rounded(double(weights_[row]) * per_unit_[0]);
  }

  // To the count and the sums of one value; with sign -1 they are taken away again.
  OCELOT_INLINE void add(std::int64_t* totals, std::size_t row, int sign = 1) const {
    const double weight = double(weights_[row]);
    totals[0] += sign * rounded(weight * per_unit_[0]);
    for (std::size_t t = 0; t < n_targets(); ++t) {
      totals[1 + t] += sign * rounded(weight * double(targets_[t][row]) * per_unit_[1 + t]);
    }
  }

 private:
  // Half to even: one instruction.
  static OCELOT_INLINE std::int64_t rounded(double x) { return std::llrint(x); }

  Matrix<const float> targets_;
  Weights weights_;
  std::vector<double> per_unit_;
};

}  // namespace ocelot
