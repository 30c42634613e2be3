// What a binding checks before it calls a kernel. All failures are a ValueError.
//
//   always         shapes, scalars, and lists that are short compared with the rows: of columns,
//                  leaves, segments, tables
//   when checked   what is in arrays with one number per row: rows, leaves, codes, classes. This
//                  costs a pass over the array, and only a defect of our own can make it wrong
//
// Contents are checked when the environment variable OCELOT_CHECKED is set, as all tests do. The
// functions that check contents are those below whose name begins with require_contents.
// ARCHITECTURE.md lists them by kernel.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "shared/highest.h"

namespace ocelot::bindings {

inline void require(bool holds, const char* message) {
  if (!holds) throw nanobind::value_error(message);
}

// Read at the first call, once.
inline bool checks_contents() {
  static const bool checked = [] {
    const char* const value = std::getenv("OCELOT_CHECKED");
    return value != nullptr && *value != '\0' && !(value[0] == '0' && value[1] == '\0');
  }();
  return checked;
}

template <class Numbers>
void require_below(const Numbers& numbers, std::size_t n, const char* message) {
  require(numbers.size() == 0 || highest_of(numbers.data(), numbers.size()) < n, message);
}

template <class Numbers>
void require_contents_below(const Numbers& numbers, std::size_t n, const char* message) {
  if (checks_contents()) require_below(numbers, n, message);
}

// A class is a whole number, kept as a float.
template <class Numbers>
void require_contents_classes(const Numbers& targets, std::size_t n_classes, const char* message) {
  if (!checks_contents()) return;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const float target = targets.data()[i];
    require(target >= 0 && target < float(n_classes) && target == float(std::size_t(target)),
            message);
  }
}

template <class Numbers>
void require_not_negative(const Numbers& numbers, const char* message) {
  for (std::size_t i = 0; i < numbers.size(); ++i) require(numbers.data()[i] >= 0, message);
}

template <class Numbers>
void require_contents_not_negative(const Numbers& numbers, const char* message) {
  if (checks_contents()) require_not_negative(numbers, message);
}

// Offsets of n parts that end at `end` at most, each at or after the one before.
template <class Offsets>
void require_ascending(const Offsets& offsets, std::size_t n, std::size_t end,
                       const char* message) {
  bool fits = offsets.shape(0) == n + 1 && offsets.data()[n] <= end;
  for (std::size_t i = 0; fits && i < n; ++i) fits = offsets.data()[i] <= offsets.data()[i + 1];
  require(fits, message);
}

// The same for parts that have no gap before the first or after the last.
template <class Offsets>
void require_partition(const Offsets& offsets, std::size_t n, std::size_t end,
                       const char* message) {
  require_ascending(offsets, n, end, message);
  require(offsets.data()[0] == 0 && offsets.data()[n] == end, message);
}

// Offsets are one more than the parts: at least one.
template <class Offsets>
std::size_t count_of_parts(const Offsets& offsets, const char* message) {
  require(offsets.shape(0) > 0, message);
  return offsets.shape(0) - 1;
}

// Levels and leaves of all trees together.
struct TreeSizes {
  std::size_t levels = 0, leaves = 0;
};

template <class Depths>
TreeSizes sizes_of_trees(const Depths& depths) {
  TreeSizes sizes;
  for (std::size_t t = 0; t < depths.shape(0); ++t) {
    require(depths.data()[t] <= 16, "depths: at most 16");
    sizes.levels += depths.data()[t];
    sizes.leaves += std::size_t{1} << depths.data()[t];
  }
  return sizes;
}

}  // namespace ocelot::bindings
