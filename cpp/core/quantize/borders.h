// Which borders to cut a column at.
#pragma once

#include "quantize/quantize.h"

namespace ocelot {

enum class BorderRule { greedy_log_sum = 0, quantile = 1, uniform = 2 };

// Borders of each column from the given rows (weights [n_rows of values] or null), at most
// max_borders[c] of them, ascending, into out_borders[c * capacity ..]; out_counts[c] says how
// many. Missing values are left out.
template <class Number>
void choose_borders(const Values<Number>& values, const std::uint32_t* rows, std::size_t n_sample,
                    const float* weights, BorderRule rule, const std::uint32_t* max_borders,
                    std::size_t capacity, double* out_borders, std::uint32_t* out_counts,
                    int n_threads);

}  // namespace ocelot
