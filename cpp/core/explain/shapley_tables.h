// Shapley values of every leaf of every tree, and their interactions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "explain/tree_game.h"

namespace ocelot {

// Trees one after the other. Each divides what its players earn among columns of its own, numbered
// from 0: a player of several columns gives each the same share.
struct ForestOfPlayers {
  std::span<const std::uint32_t> depths;
  const std::uint32_t* level_players;  // of each level, numbered inside the tree
  const double* leaf_values;           // [n_leaves][n_outputs]
  const double* leaf_weights;          // [n_leaves]
  std::size_t n_outputs;
  const std::uint32_t* player_offsets;  // [n_trees + 1]: players of tree t
  const std::uint32_t* column_offsets;  // [n_players + 1]: columns of a player
  const std::uint32_t* columns;         // numbered inside the tree
  const std::uint32_t* n_columns;       // of each tree
};

// Of which leaves a table is made: offsets [n_trees + 1] into leaves.
struct AskedLeaves {
  const std::uint64_t* offsets;
  const std::uint32_t* leaves;
};

// Cells of a leaf's line in the table of a tree: its columns, or the pairs (a, b) with a <= b.
inline std::size_t cells_of(std::size_t n_columns, bool interactions) {
  return interactions ? n_columns * (n_columns + 1) / 2 : n_columns;
}

// out_tables: of each tree [asked leaves][cells][n_outputs]; out_expected [n_trees][n_outputs] is
// the worth of the empty coalition. With interactions, cell (a, b) lies at a + b (b + 1) / 2.
void shapley_tables(const ForestOfPlayers& forest, const AskedLeaves& asked,
                    Expectation expectation, bool interactions, double* out_tables,
                    double* out_expected, int n_threads);

}  // namespace ocelot
