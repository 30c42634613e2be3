#include "explain/tree_game.h"

#include <algorithm>
#include <numeric>

#include "shared/multiversion.h"

namespace ocelot {
namespace {

OCELOT_HOT void mix(const double* no, const double* yes, double share_of_yes, std::size_t count,
                    double* out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = no[i] + share_of_yes * (yes[i] - no[i]);
  }
}

// Nodes that no training row reached are halved: nothing is known of them.
std::vector<double> shares_of_yes(const double* weights, std::size_t n_leaves) {
  std::vector<double> totals(2 * n_leaves), shares(n_leaves);
  std::copy_n(weights, n_leaves, totals.begin() + std::ptrdiff_t(n_leaves));
  for (std::size_t node = n_leaves; --node > 0;) {
    totals[node] = totals[2 * node] + totals[2 * node + 1];
    shares[node] = totals[node] > 0 ? totals[2 * node + 1] / totals[node] : 0.5;
  }
  return shares;
}

// The players' bits in the order in which they come up when levels are taken last first.
std::vector<std::size_t> bits_from_last_level(const TreeOfPlayers& tree) {
  std::vector<std::size_t> bits(tree.n_players, tree.n_players);
  std::size_t n_seen = 0;
  for (std::size_t level = tree.depth(); level-- > 0;) {
    std::size_t& bit = bits[tree.level_players[level]];
    if (bit == tree.n_players) bit = n_seen++;
  }
  return bits;
}

}  // namespace

Coalitions::Coalitions(const TreeOfPlayers& tree, Expectation expectation)
    : tree_(tree), expectation_(expectation), bits_(bits_from_last_level(tree)) {
  const std::size_t n_leaves = std::size_t{1} << tree.depth();
  if (expectation == Expectation::path_dependent) {
    share_of_yes_ = shares_of_yes(tree.weights, n_leaves);
    after_level_.resize(tree.depth());
    return;
  }
  const std::size_t n_coalitions = std::size_t{1} << tree.n_players;
  worth_.resize(n_coalitions * tree.n_outputs);
  known_.resize(n_coalitions);
  for (std::size_t coalition = 0; coalition < n_coalitions; ++coalition) {
    for (std::size_t level = 0; level < tree.depth(); ++level) {
      const std::size_t is_known = coalition >> bits_[tree.level_players[level]] & 1;
      known_[coalition] |= is_known << (tree.depth() - 1 - level);
    }
  }
  const double total = std::accumulate(tree.weights, tree.weights + n_leaves, 0.0);
  for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
    if (tree.weights[leaf] > 0) {
      background_.push_back(leaf);
      background_share_.push_back(tree.weights[leaf] / total);
    }
  }
}

std::size_t Coalitions::place_in_order(std::size_t leaf, std::size_t depth) {
  std::size_t place = 0;
  for (std::size_t level = 0; level < depth; ++level) place = place << 1 | (leaf >> level & 1);
  return place;
}

const double* Coalitions::worth(std::size_t leaf) {
  if (expectation_ == Expectation::interventional) {
    mix_with_background(leaf);
    return worth_.data();
  }
  follow_paths(leaf);
  return tree_.depth() == 0 ? tree_.values : after_level_[0].data();
}

// From the last level to the first. After a level, the state is [nodes of the level][coalitions of
// the players below][n_outputs]. A level of a new player doubles the coalitions and halves the
// nodes:
//
//   node 2p      | ∅ | {a} |                 node p  | ∅ | {a} | {b} | {a, b} |
//   node 2p + 1  | ∅ | {a} |       ──►                 mixed     the row's own child
//
// The states of the last levels, whose answers are those of the leaf before, are still right.
void Coalitions::follow_paths(std::size_t leaf) {
  const std::size_t depth = tree_.depth(), n_outputs = tree_.n_outputs;
  std::size_t n_right = 0;  // levels
  while (has_leaf_before_ && n_right < depth && !((leaf ^ leaf_before_) >> n_right & 1)) ++n_right;
  const double* before = tree_.values;
  std::size_t n_seen = 0;
  for (std::size_t level = depth; level-- > 0;) {
    const std::size_t n_nodes = std::size_t{1} << level;
    const std::size_t bit = bits_[tree_.level_players[level]];
    const std::size_t width = (std::size_t{1} << n_seen) * n_outputs;  // of a node before
    const bool is_new = bit == n_seen;
    if (is_new) ++n_seen;
    std::vector<double>& state = after_level_[level];
    if (depth - level > n_right) {
      state.resize(n_nodes * (is_new ? 2 * width : width));
      const std::size_t stretch = (std::size_t{1} << bit) * n_outputs;
      double* out = state.data();
      for (std::size_t node = 0; node < n_nodes; ++node) {
        const double* no = before + 2 * node * width;
        const double* yes = no + width;
        const double* own = leaf >> (depth - 1 - level) & 1 ? yes : no;
        const double share = share_of_yes_[n_nodes + node];
        for (std::size_t first = 0; first < width; first += is_new ? width : 2 * stretch) {
          mix(no + first, yes + first, share, stretch, out);
          std::copy_n(own + first + (is_new ? 0 : stretch), stretch, out + stretch);
          out += 2 * stretch;
        }
      }
    }
    before = state.data();
  }
  leaf_before_ = leaf;
  has_leaf_before_ = true;
}

void Coalitions::mix_with_background(std::size_t leaf) {
  const std::size_t n_outputs = tree_.n_outputs;
  for (std::size_t coalition = 0; coalition < known_.size(); ++coalition) {
    const std::size_t known = known_[coalition], own = leaf & known;
    double* out = worth_.data() + coalition * n_outputs;
    std::fill_n(out, n_outputs, 0.0);
    for (std::size_t b = 0; b < background_.size(); ++b) {
      const double* value = tree_.values + (own | (background_[b] & ~known)) * n_outputs;
      for (std::size_t k = 0; k < n_outputs; ++k) out[k] += background_share_[b] * value[k];
    }
  }
}

}  // namespace ocelot
