#include "explain/add_tables.h"

#include <algorithm>

#include "shared/pool.h"

namespace ocelot {
namespace {

// The sums of a block should stay in a cache of the second level, next to one table.
constexpr std::size_t block_bytes = 64 << 10;
constexpr std::size_t most_rows = 128;

void add_lines(const std::uint32_t* lines, std::size_t n_rows, const double* table,
               const std::uint32_t* cells, std::size_t n_cells, double* sums, std::size_t stride) {
  for (std::size_t i = 0; i < n_rows; ++i, sums += stride) {
    const double* line = table + std::size_t(lines[i]) * n_cells;
    for (std::size_t c = 0; c < n_cells; ++c) sums[cells[c]] += line[c];
  }
}

void add_wide_lines(const std::uint32_t* lines, std::size_t n_rows, const double* table,
                    const std::uint32_t* cells, std::size_t n_cells, std::size_t n_outputs,
                    double* sums, std::size_t stride) {
  for (std::size_t i = 0; i < n_rows; ++i, sums += stride) {
    const double* line = table + std::size_t(lines[i]) * n_cells * n_outputs;
    for (std::size_t c = 0; c < n_cells; ++c) {
      double* const cell = sums + cells[c] * n_outputs;
      for (std::size_t k = 0; k < n_outputs; ++k) cell[k] += line[c * n_outputs + k];
    }
  }
}

}  // namespace

void add_tables(const Matrix<const std::uint32_t>& lines, const TreeTables& tables,
                const Matrix<double>& inout_sums, int n_threads) {
  const std::size_t n_rows = lines.stride, row_bytes = inout_sums.stride * sizeof(double);
  const std::size_t block_size =
      std::clamp<std::size_t>(block_bytes / std::max<std::size_t>(row_bytes, 1), 8, most_rows);
  parallel_blocks(
      n_rows, block_size, n_threads, [&](std::size_t begin, std::size_t end, std::size_t) {
        const double* table = tables.entries;
        double* const sums = inout_sums[begin];
        for (std::size_t t = 0; t < tables.n_trees; ++t) {
          const std::uint32_t* cells = tables.cells + tables.cell_offsets[t];
          const std::size_t n_cells = tables.cell_offsets[t + 1] - tables.cell_offsets[t];
          if (tables.n_outputs == 1) {
            add_lines(lines[t] + begin, end - begin, table, cells, n_cells, sums,
                      inout_sums.stride);
          } else {
            add_wide_lines(lines[t] + begin, end - begin, table, cells, n_cells, tables.n_outputs,
                           sums, inout_sums.stride);
          }
          table += std::size_t(tables.n_lines[t]) * n_cells * tables.n_outputs;
        }
      });
}

}  // namespace ocelot
