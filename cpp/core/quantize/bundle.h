// Sparse columns that can share a field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ocelot {

// The rows in which each column has another bin than its default one: rows[starts[c] ..
// starts[c + 1]) of column c, out of n_rows.
struct SparseRows {
  std::span<const std::uint64_t> starts;  // [n_columns + 1]
  std::span<const std::uint32_t> rows;
  std::size_t n_rows;

  std::size_t n_columns() const { return starts.size() - 1; }
  std::span<const std::uint32_t> of(std::size_t column) const {
    return rows.subspan(starts[column], starts[column + 1] - starts[column]);
  }
};

// Which bundle each column belongs to, and which of the bundle's values is its bin 0.
struct Bundles {
  std::span<std::uint32_t> of_column, firsts;  // [n_columns]
};

// Divides columns into bundles of at most 256 bins in all, such that no row has two columns of a
// bundle away from their default bins. The columns with the most rows are placed first, each in the
// newest bundle where it fits among the last few. Returns the number of bundles.
std::size_t bundle_columns(const SparseRows& sparse, std::span<const std::uint32_t> bin_counts,
                           const Bundles& out);

}  // namespace ocelot
