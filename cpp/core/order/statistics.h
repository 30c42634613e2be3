// Target statistics: what each row's history says of its category.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "order/coded_columns.h"

namespace ocelot {

// Which rows a row's statistic is made of.
enum class History : std::uint8_t {
  before = 0,       // those before it in the ordering (of them the last `window`, if that is not 0)
  all = 1,          // all rows, itself included: the greedy statistic, which leaks
  all_but_own = 2,  // leave one out, which leaks too
  apart = 3,        // the rows that get no statistic themselves
};

struct HistoryRule {
  History kind;
  std::size_t window;  // 0: no limit
};

// The columns of a statistic, all of 16 bins: for each target t, and for each of its priors p
//   (sum of t + weight * p) / (count + weight)   cut at 15 even borders from low to high.
// After them, if wanted, comes the frequency count / (largest count + 1), cut from 0 to 1. It
// counts all rows, whatever the history; with a window it compares the count before the row with
// the largest count in the last window. Column c = t * n_priors + p takes half a byte: the low half
// of byte c / 2 for even c.
struct StatisticColumns {
  std::size_t n_targets, n_priors;
  double prior_weight;
  const double* priors;  // [n_targets * n_priors]
  const double* lows;    // [n_targets * n_priors]
  const double* highs;   // [n_targets * n_priors]
  bool frequency;
  std::size_t n_bytes;  // per row
};

// What statistics are made from: every combination in every ordering.
struct StatisticInputs {
  CodedColumns columns;
  std::span<const std::uint32_t> lines;  // of columns, one per combination
  Matrix<const std::uint32_t> orders;    // [n_orderings][n_rows] the row at each time
  Matrix<const float> targets;           // [n_targets][n_rows]
  Weights weights;

  std::size_t n_rows() const { return columns.n_rows(); }
  std::size_t n_combinations() const { return lines.size(); }
  std::size_t n_orderings() const { return orders.n_lines; }
  const std::uint32_t* codes(std::size_t combination) const {
    return columns.codes[lines[combination]];
  }
  std::uint32_t n_values(std::size_t combination) const {
    return columns.value_counts[lines[combination]];
  }
};

// Where they go. Rows beyond n_rows are history only.
struct FilledPages {
  const std::uint32_t* pages;  // [n_combinations][n_orderings] numbers of pages
  std::uint8_t* bytes;         // [..][n_rows][n_bytes]
  std::size_t n_rows, n_bytes;

  std::uint8_t* operator[](std::size_t task) const {
    return bytes + pages[task] * n_rows * n_bytes;
  }
};

void target_statistics(const StatisticInputs& inputs, const HistoryRule& history,
                       const StatisticColumns& columns, const FilledPages& out, int n_threads);

}  // namespace ocelot
