// Which borders to cut a column at.
#pragma once

#include <span>

#include "quantize/quantize.h"
#include "shared/views.h"

namespace ocelot {

enum class BorderRule { greedy_log_sum = 0, quantile = 1, uniform = 2 };

// The rows that borders are chosen from.
struct Sample {
  std::span<const std::uint32_t> rows;
  Weights weights;  // of all rows
};

// Column c gets at most max_borders[c] borders, ascending, in borders[c], and their number in
// counts[c].
struct ChosenBorders {
  const std::uint32_t* max_borders;
  Matrix<double> borders;
  std::uint32_t* counts;
};

// Borders of each column. Missing values are left out.
template <class Number>
void choose_borders(const Values<Number>& values, const Sample& sample, BorderRule rule,
                    const ChosenBorders& out, int n_threads);

}  // namespace ocelot
