// Sums of the lines that rows have in the tables of trees.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shared/views.h"

namespace ocelot {

// Tables one after the other: of tree t [n_lines][its cells][n_outputs].
struct TreeTables {
  const double* entries;
  std::size_t n_trees, n_outputs;
  const std::uint32_t* n_lines;       // [n_trees]
  const std::uint64_t* cell_offsets;  // [n_trees + 1] into cells
  const std::uint32_t* cells;         // which cell of a row's sums each cell is added to
};

// lines [n_trees][n_rows]: of each row, its line in each table; inout_sums [n_rows][n_cells *
// n_outputs] are added to, one tree after the other.
void add_tables(const Matrix<const std::uint32_t>& lines, const TreeTables& tables,
                const Matrix<double>& inout_sums, int n_threads);

}  // namespace ocelot
