// The quantized table as the kernels see it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ocelot {

// Up to 64 slots of a row stand side by side, one cache line: a panel. Panels follow each other:
//
//   panel 0            panel 1
//   row 0: a b c d     row 0: e f g h
//   row 1: a b c d     row 1: e f g h
//
// A slot holds one column of up to 256 bins, or several small columns in separate bits of the byte.
// The slots of a panel are summed in groups of 16, 8 or 4:
// byte (row, slot k of group) = bins[offset[group] + row * stride[group] + k].
struct Block {
  const std::uint8_t* bins;
  const std::uint64_t* group_offsets;  // [n_groups] where row 0 of each group begins in bins
  const std::uint32_t* group_strides;  // [n_groups] slots of the group's panel
  const std::uint32_t* group_widths;   // [n_groups] 4, 8 or 16
  std::size_t n_groups;
  std::size_t n_rows;
};

// The bytes that answer a question: bits [shift, ...) under mask of bytes[row * stride].
struct ByteColumn {
  const std::uint8_t* bytes;
  std::size_t stride;
  std::uint32_t shift;
  std::uint32_t mask;
};

}  // namespace ocelot
