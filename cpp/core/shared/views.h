// Views of arrays that somebody else owns. One-dimensional ones are std::span.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shared/multiversion.h"

namespace ocelot {

// Lines of numbers, one after the other: line k begins at data + k * stride.
template <class Number>
struct Matrix {
  Number* data;
  std::size_t n_lines, stride;

  OCELOT_INLINE Number* operator[](std::size_t line) const { return data + line * stride; }

  // The same lines without their first numbers.
  Matrix from(std::size_t first) const { return {data + first, n_lines, stride}; }
};

// One weight per row, or none at all: every row then weighs one.
struct Weights {
  const float* data;  // or null

  OCELOT_INLINE float operator[](std::size_t row) const { return data ? data[row] : 1.0f; }

  explicit operator bool() const { return data != nullptr; }

  Weights from(std::size_t first) const { return {data ? data + first : nullptr}; }
};

// Some rows by their numbers, or the first of all rows.
struct RowList {
  const std::uint32_t* data;  // or null: 0, 1, 2 and so on
  std::size_t count;

  OCELOT_INLINE std::size_t operator[](std::size_t i) const { return data ? data[i] : i; }
};

}  // namespace ocelot
