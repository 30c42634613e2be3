#include "arrays.h"
#include "explain/add_tables.h"
#include "explain/shapley_tables.h"

namespace ocelot::bindings {
namespace {

void shapley_tables_of(const In<std::uint32_t, 1>& depths,
                       const In<std::uint32_t, 1>& level_players, const In<double, 2>& leaf_values,
                       const In<double, 1>& leaf_weights,
                       const In<std::uint32_t, 1>& player_offsets,
                       const In<std::uint32_t, 1>& column_offsets,
                       const In<std::uint32_t, 1>& columns, const In<std::uint32_t, 1>& n_columns,
                       const In<std::uint64_t, 1>& asked_offsets,
                       const In<std::uint32_t, 1>& asked_leaves, bool interventional,
                       bool interactions, const Array<double, 1>& out_tables,
                       const Array<double, 2>& out_expected, Threads n_threads) {
  const std::size_t n_trees = depths.shape(0), n_outputs = leaf_values.shape(1);
  const TreeSizes sizes = sizes_of_trees(depths);
  require(sizes.levels == level_players.shape(0) && sizes.leaves == leaf_values.shape(0),
          "depths: do not fit the arrays");
  require(leaf_weights.shape(0) == leaf_values.shape(0), "leaf_weights: one per leaf is needed");
  const std::size_t n_players = count_of_parts(column_offsets, "column_offsets: none");
  require_partition(player_offsets, n_trees, n_players, "player_offsets: do not fit");
  require_partition(column_offsets, n_players, columns.shape(0), "column_offsets: do not fit");
  require_partition(asked_offsets, n_trees, asked_leaves.shape(0), "asked_offsets: do not fit");
  require(n_columns.shape(0) == n_trees, "n_columns: one per tree is needed");
  require(out_expected.shape(0) == n_trees && out_expected.shape(1) == n_outputs,
          "out_expected: one per tree and output is needed");
  std::size_t size = 0, level = 0;
  for (std::size_t t = 0; t < n_trees; ++t) {
    const std::size_t first = player_offsets.data()[t], end = player_offsets.data()[t + 1];
    const std::size_t depth = depths.data()[t];
    require(end - first <= depth, "player_offsets: more players than levels");
    std::size_t met = 0;
    for (std::size_t d = 0; d < depth; ++d, ++level) {
      require(level_players.data()[level] < end - first, "level_players: no such player");
      met |= std::size_t{1} << level_players.data()[level];
    }
    require(met + 1 == std::size_t{1} << (end - first), "level_players: a player has no level");
    for (std::size_t c = column_offsets.data()[first]; c < column_offsets.data()[end]; ++c) {
      require(columns.data()[c] < n_columns.data()[t], "columns: no such column");
    }
    for (std::size_t i = asked_offsets.data()[t]; i < asked_offsets.data()[t + 1]; ++i) {
      require(asked_leaves.data()[i] >> depth == 0, "asked_leaves: no such leaf");
    }
    size += (asked_offsets.data()[t + 1] - asked_offsets.data()[t]) *
            cells_of(n_columns.data()[t], interactions) * n_outputs;
  }
  require(out_tables.shape(0) == size, "out_tables: does not fit");
  shapley_tables(
      {span_of(depths), level_players.data(), leaf_values.data(), leaf_weights.data(), n_outputs,
       player_offsets.data(), column_offsets.data(), columns.data(), n_columns.data()},
      {asked_offsets.data(), asked_leaves.data()},
      interventional ? Expectation::interventional : Expectation::path_dependent, interactions,
      out_tables.data(), out_expected.data(), n_threads);
}

void add_tables_of(const In<std::uint32_t, 2>& lines, const In<double, 1>& tables,
                   const In<std::uint32_t, 1>& n_lines, const In<std::uint64_t, 1>& cell_offsets,
                   const In<std::uint32_t, 1>& cells, const Array<double, 3>& inout_sums,
                   Threads n_threads) {
  const std::size_t n_trees = lines.shape(0), n_rows = lines.shape(1);
  const std::size_t n_cells = inout_sums.shape(1), n_outputs = inout_sums.shape(2);
  require(inout_sums.shape(0) == n_rows, "inout_sums: one per row is needed");
  require(n_lines.shape(0) == n_trees, "n_lines: one per tree is needed");
  require_partition(cell_offsets, n_trees, cells.shape(0), "cell_offsets: do not fit");
  require_below(cells, n_cells, "cells: no such cell");
  std::size_t size = 0;
  for (std::size_t t = 0; t < n_trees; ++t) {
    size += n_lines.data()[t] * (cell_offsets.data()[t + 1] - cell_offsets.data()[t]) * n_outputs;
    if (!checks_contents()) continue;
    for (std::size_t i = 0; i < n_rows; ++i) {
      require(lines.data()[t * n_rows + i] < n_lines.data()[t], "lines: no such line");
    }
  }
  require(tables.shape(0) == size, "tables: do not fit");
  add_tables(matrix_of(lines),
             {tables.data(), n_trees, n_outputs, n_lines.data(), cell_offsets.data(), cells.data()},
             {inout_sums.data(), n_rows, n_cells * n_outputs}, n_threads);
}

}  // namespace

void bind_explain(nb::module_& module) {
  using nb::arg;
  module.def("shapley_tables", &shapley_tables_of, arg("depths").noconvert(),
             arg("level_players").noconvert(), arg("leaf_values").noconvert(),
             arg("leaf_weights").noconvert(), arg("player_offsets").noconvert(),
             arg("column_offsets").noconvert(), arg("columns").noconvert(),
             arg("n_columns").noconvert(), arg("asked_offsets").noconvert(),
             arg("asked_leaves").noconvert(), arg("interventional"), arg("interactions"),
             arg("out_tables").noconvert(), arg("out_expected").noconvert(), nb::kw_only(),
             arg("n_threads"), Released());
  module.def("add_tables", &add_tables_of, arg("lines").noconvert(), arg("tables").noconvert(),
             arg("n_lines").noconvert(), arg("cell_offsets").noconvert(), arg("cells").noconvert(),
             arg("inout_sums").noconvert(), nb::kw_only(), arg("n_threads"), Released());
}

}  // namespace ocelot::bindings
