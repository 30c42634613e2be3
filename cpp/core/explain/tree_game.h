// A tree as a game between the features that it asks about.
//
// The players are the features of a tree; a player may have several of its levels. The worth of a
// coalition S is the value that the tree is expected to give when only the answers of S are known.
// What is expected of the others is either
//
//   path dependent   at each level the two children, by their share of the training weight
//   interventional   the answers of a background row, averaged over the background rows
//
// Both depend on a row by its leaf alone, which is why its Shapley values can be kept in a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ocelot {

enum class Expectation { path_dependent, interventional };

struct TreeOfPlayers {
  std::span<const std::uint32_t> level_players;  // 0 .. n_players - 1, first level first
  const double* values;                          // [2^depth][n_outputs]
  const double* weights;  // [2^depth], of the training rows or of the background rows
  std::size_t n_players, n_outputs;

  std::size_t depth() const { return level_players.size(); }
};

// Makes the worth of all coalitions, one leaf after the other, in memory that is used again.
class Coalitions {
 public:
  Coalitions(const TreeOfPlayers& tree, Expectation expectation);

  // [2^n_players][n_outputs] for a row in this leaf.
  const double* worth(std::size_t leaf);

  // Which binary digit of a coalition says whether the player is in it.
  std::size_t bit(std::size_t player) const { return bits_[player]; }

  // Leaves in an order in which each has much in common with the one before.
  static std::size_t place_in_order(std::size_t leaf, std::size_t depth);

 private:
  void follow_paths(std::size_t leaf);
  void mix_with_background(std::size_t leaf);

  TreeOfPlayers tree_;
  Expectation expectation_;
  std::vector<std::size_t> bits_;  // of the players: in the order of their last levels, last first
  std::vector<double> worth_;
  // Path dependent. The state after each level, of the leaf before:
  std::vector<std::vector<double>> after_level_;
  std::size_t leaf_before_ = 0;
  bool has_leaf_before_ = false;
  // Of each node above the leaves, at 2^level + place: the share of its weight that the "yes" child
  // has.
  std::vector<double> share_of_yes_;
  // Interventional.
  std::vector<std::size_t> known_;       // [2^n_players] binary digits of a leaf that S knows
  std::vector<std::size_t> background_;  // leaves that have background rows
  std::vector<double> background_share_;
};

}  // namespace ocelot
