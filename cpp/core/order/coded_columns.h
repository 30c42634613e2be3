// Columns of categories, as the kernels of orderings see them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shared/views.h"

namespace ocelot {

// One category per row as a number below n_values.
struct CodedColumn {
  const std::uint32_t* codes;
  std::uint32_t n_values;
};

// Categories as numbers: a line per feature or combination, codes[line][row] < value_counts[line].
struct CodedColumns {
  Matrix<const std::uint32_t> codes;
  const std::uint32_t* value_counts;

  std::size_t n_rows() const { return codes.stride; }
  CodedColumn operator[](std::size_t line) const { return {codes[line], value_counts[line]}; }
};

}  // namespace ocelot
