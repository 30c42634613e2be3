// Target statistics: what each row's history says of its category.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "order/coded_columns.h"

namespace ocelot {

// Which of the listed rows a row's statistic is made of.
enum class History : std::uint8_t {
  before = 0,       // those before it in the ordering (of them the last `window`, if that is not 0)
  all = 1,          // all of them, itself included: the greedy statistic, which leaks
  all_but_own = 2,  // leave one out, which leaks too
  apart = 3,        // those that get no statistic themselves
};

struct HistoryRule {
  History kind;
  std::size_t window;  // 0: no limit
};

// The columns of a statistic, all of 16 bins: for each target t, and for each of its priors p
//   (sum of t + weight * p) / (count + weight)   cut at 15 even borders from low to high.
// After them, if wanted, comes the frequency count / (largest count + 1), cut from 0 to 1. It
// counts all rows, listed or not and whatever the history, but of History::apart only those that
// get no statistic. With a window it compares the count before the row with the largest count in
// the last window. Column c = t * n_priors + p takes half a byte: the low half of byte c / 2 for
// even c.
struct StatisticColumns {
  std::size_t n_targets, n_priors;
  double prior_weight;
  const double* priors;  // [n_targets * n_priors]
  const double* lows;    // [n_targets * n_priors]
  const double* highs;   // [n_targets * n_priors]
  bool frequency;
  std::size_t n_bytes;  // per row
};

// What is known of values from rows that are elsewhere, in units. Entries are the values of the
// first combination, then those of the second, and so on. What is empty is not given.
struct KnownTotals {
  std::span<const std::int64_t> before;   // [n_entries][n_targets + 1] counts and sums of the rows
                                          // before the first that is listed
  std::span<const std::int64_t> counts;   // [n_entries] of all rows, for the frequency
  std::span<const std::int64_t> largest;  // [n_combinations] of these counts
};

// What statistics are made from: every combination in every ordering. An ordering may list some of
// the rows alone.
struct StatisticInputs {
  CodedColumns columns;
  std::span<const std::uint32_t> lines;  // of columns, one per combination
  Matrix<const std::uint32_t> orders;    // [n_orderings][n_ordered] the row at each time
  Matrix<const float> targets;           // [n_targets][n_rows]
  Weights weights;
  const double* units;  // [n_targets + 1] of counts and sums: see RowAddends
  KnownTotals known;

  std::size_t n_rows() const { return columns.n_rows(); }
  std::size_t n_ordered() const { return orders.stride; }
  std::size_t n_combinations() const { return lines.size(); }
  std::size_t n_orderings() const { return orders.n_lines; }
  const std::uint32_t* codes(std::size_t combination) const {
    return columns.codes[lines[combination]];
  }
  std::uint32_t n_values(std::size_t combination) const {
    return columns.value_counts[lines[combination]];
  }
  std::size_t first_entry(std::size_t combination) const {
    std::size_t entry = 0;
    for (std::size_t c = 0; c < combination; ++c) entry += n_values(c);
    return entry;
  }
};

// Where they go. Rows beyond n_rows are history only; rows that are not listed keep their bytes.
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
