// The quantized table as the kernels see it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ocelot {

// Up to 64 slots of a row stand side by side, one cache line: a panel. Panels follow each other:
//
//   panel 0            panel 1
//   row 0: a b c d     row 0: e f g h
//   row 1: a b c d     row 1: e f g h
//
// A slot is one byte. It holds one field, or several in separate bits. A field holds one column of
// up to 256 bins, or a bundle of sparse columns, each in a range of the field's values.
//
// The slots of a panel are summed in groups of 16, 8 or 4:
// byte (row, slot k of group) = bins[offset[group] + row * stride[group] + k].
struct Block {
  std::span<const std::uint8_t> bins;
  std::span<const std::uint64_t> group_offsets;  // [n_groups] where row 0 begins in bins
  std::span<const std::uint32_t> group_strides;  // [n_groups] slots of the group's panel
  std::span<const std::uint32_t> group_widths;   // [n_groups] 4, 8 or 16

  std::size_t n_groups() const { return group_widths.size(); }
};

// A question about one byte per row, bytes[row * stride]. Of the field in bits [shift, ...) under
// mask, `low` is subtracted in modulo 256; the answer is yes where more than `bin` remains. So the
// values that answer no are consecutive, possibly around the end: enough for any border of a column
// that has a range of the field.
struct Question {
  const std::uint8_t* bytes;
  std::size_t stride;
  std::uint32_t shift, mask;
  std::uint8_t low, bin;

  bool operator()(std::size_t row) const {
    return std::uint8_t(((bytes[row * stride] >> shift) & mask) - low) > bin;
  }
};

}  // namespace ocelot
