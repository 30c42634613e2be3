// Which rows are in which leaf, and what is found out about each leaf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ocelot {

// The leaf of each row.
struct LeafNumbers {
  std::span<const std::uint32_t> of_row;
  std::size_t n_leaves;
};

// Rows sorted by leaf.
struct RowsByLeaf {
  const std::uint32_t* rows;
  std::span<const std::uint32_t> offsets;  // [n_leaves + 1] where the rows of each leaf begin

  std::size_t n_leaves() const { return offsets.size() - 1; }
  std::size_t n_rows() const { return offsets.back() - offsets.front(); }
  std::span<const std::uint32_t> operator[](std::size_t leaf) const {
    return {rows + offsets[leaf], rows + offsets[leaf + 1]};
  }
};

// Filled by the kernels: one number per leaf.
struct LeafResults {
  double* values;
  double* weights;  // the sum of the weights of its rows
};

}  // namespace ocelot
