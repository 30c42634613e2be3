// Target statistics: what each row's history says of its category.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ocelot {

// Which rows a row's statistic is made of.
enum class History : std::uint8_t {
  before = 0,       // those before it in the ordering (of them the last `window`, if that is not 0)
  all = 1,          // all rows, itself included: the greedy statistic, which leaks
  all_but_own = 2,  // leave one out, which leaks too
  apart = 3,        // the rows that get no statistic themselves
};

// The columns of a statistic, all of 16 bins: for each target t, and for each of its priors p
//   (sum of t + weight * p) / (count + weight)   cut at 15 even borders from low to high.
// After them, if wanted, the frequency count / (largest count + 1) from 0 to 1: counts of all rows
// of any history or, with a window, the count before the row beside the largest in the last window.
// Column c = t * n_priors + p takes half a byte: the low half of byte c / 2 for even c.
struct StatisticColumns {
  std::size_t n_targets, n_priors;
  double prior_weight;
  const double* priors;  // [n_targets * n_priors]
  const double* lows;    // [n_targets * n_priors]
  const double* highs;   // [n_targets * n_priors]
  bool frequency;
  std::size_t n_bytes;  // of a row
};

// Statistics of every combination in every ordering.
//   codes    [n_lines][n_rows]           codes[line][row] < value_counts[line]
//   lines    [n_combinations]
//   orders   [n_orderings][n_rows]       the row at each time
//   targets  [n_targets][n_rows]
//   weights  [n_rows] or null
//   units    [n_combinations][n_orderings] places in out
//   out      [..][n_out_rows][n_bytes]   rows beyond n_out_rows are history only
void target_statistics(const std::uint32_t* codes, const std::uint32_t* value_counts,
                       const std::uint32_t* lines, std::size_t n_combinations, std::size_t n_rows,
                       const std::uint32_t* orders, std::size_t n_orderings, History history,
                       std::size_t window, const float* targets, const float* weights,
                       const StatisticColumns& columns, const std::uint32_t* units,
                       std::size_t n_out_rows, std::uint8_t* out, int n_threads);

}  // namespace ocelot
