// The quantized table as the kernels see it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ocelot {

// Bytes of 4, 8 or 16 slots of a row stand side by side (a group); groups follow each other:
//
//   group 0            group 1
//   row 0: a b c d     row 0: e f g h
//   row 1: a b c d     row 1: e f g h      byte (row, slot) = bins[offset[group] + row * width + k]
//
// A slot holds one column of up to 256 bins, or several small columns in separate bits of the byte.
struct Block {
  const std::uint8_t* bins;
  const std::uint64_t* group_offsets;  // [n_groups] where each group begins in bins
  const std::uint32_t* group_widths;   // [n_groups] 1, 4, 8 or 16
  std::size_t n_groups;
  std::size_t n_rows;
};

// Where one column is: bits [shift, shift + log2(mask + 1)) of the byte at base + row * stride.
struct ColumnPlace {
  std::size_t base;
  std::size_t stride;
  std::uint32_t shift;
  std::uint32_t mask;
};

}  // namespace ocelot
