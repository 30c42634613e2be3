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
    : tree_(tree), expectation_(expectation) {
  const std::size_t n_leaves = std::size_t{1} << tree.depth();
  const std::size_t n_coalitions = std::size_t{1} << tree.n_players;
  worth_.resize(n_leaves * tree.n_outputs);
  next_.resize(n_leaves * tree.n_outputs);
  if (expectation == Expectation::path_dependent) {
    share_of_yes_ = shares_of_yes(tree.weights, n_leaves);
    bits_ = bits_from_last_level(tree);
    return;
  }
  known_.resize(n_coalitions);
  for (std::size_t coalition = 0; coalition < n_coalitions; ++coalition) {
    for (std::size_t level = 0; level < tree.depth(); ++level) {
      const std::size_t is_known = coalition >> tree.level_players[level] & 1;
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

const double* Coalitions::worth(std::size_t leaf) {
  if (expectation_ == Expectation::path_dependent) {
    follow_paths(leaf);
  } else {
    mix_with_background(leaf);
  }
  return worth_.data();
}

// From the last level to the first. After a level, worth is [nodes of the level][coalitions of the
// players below][n_outputs]. A level of a new player doubles the coalitions and halves the nodes:
//
//   node 2p      | ∅ | {a} |                 node p  | ∅ | {a} | {b} | {a, b} |
//   node 2p + 1  | ∅ | {a} |       ──►                 mixed     the row's own child
void Coalitions::follow_paths(std::size_t leaf) {
  const std::size_t depth = tree_.depth(), n_outputs = tree_.n_outputs;
  std::copy_n(tree_.values, (std::size_t{1} << depth) * n_outputs, worth_.begin());
  std::size_t n_seen = 0;
  for (std::size_t level = depth; level-- > 0;) {
    const std::size_t bit = bits_[tree_.level_players[level]];
    const std::size_t answer = leaf >> (depth - 1 - level) & 1;
    const std::size_t width = (std::size_t{1} << n_seen) * n_outputs;  // of a node before
    const bool is_new = bit == n_seen;
    for (std::size_t node = 0; node < std::size_t{1} << level; ++node) {
      const double* no = worth_.data() + 2 * node * width;
      const double* yes = no + width;
      const double* own = answer ? yes : no;
      const double share = share_of_yes_[(std::size_t{1} << level) + node];
      if (is_new) {
        double* out = next_.data() + 2 * node * width;
        mix(no, yes, share, width, out);
        std::copy_n(own, width, out + width);
      } else {
        double* out = next_.data() + node * width;
        const std::size_t stretch = (std::size_t{1} << bit) * n_outputs;
        for (std::size_t first = 0; first < width; first += 2 * stretch) {
          mix(no + first, yes + first, share, stretch, out + first);
          std::copy_n(own + first + stretch, stretch, out + first + stretch);
        }
      }
    }
    if (is_new) ++n_seen;
    worth_.swap(next_);
  }
  // Coalitions by the players' own bits.
  for (std::size_t coalition = 0; coalition < std::size_t{1} << n_seen; ++coalition) {
    std::size_t grown = 0;
    for (std::size_t player = 0; player < n_seen; ++player) {
      grown |= (coalition >> player & 1) << bits_[player];
    }
    std::copy_n(worth_.data() + grown * n_outputs, n_outputs, next_.data() + coalition * n_outputs);
  }
  worth_.swap(next_);
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
