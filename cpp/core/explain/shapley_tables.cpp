#include "explain/shapley_tables.h"

#include <algorithm>
#include <vector>

#include "shared/pool.h"

namespace ocelot {
namespace {

// The weight of a coalition of each size among n others: size! (n - size)! / (n + 1)!
std::vector<double> coalition_weights(std::size_t n_others) {
  std::vector<double> weights(n_others + 1);
  weights[0] = 1.0 / double(n_others + 1);
  for (std::size_t size = 1; size <= n_others; ++size) {
    weights[size] = weights[size - 1] * double(size) / double(n_others + 1 - size);
  }
  return weights;
}

// Where the columns of a tree's players begin and end.
class Divided {
 public:
  Divided(const ForestOfPlayers& forest, std::size_t tree)
      : offsets_(forest.column_offsets + forest.player_offsets[tree]), columns_(forest.columns) {}

  std::span<const std::uint32_t> operator[](std::size_t player) const {
    return {columns_ + offsets_[player], columns_ + offsets_[player + 1]};
  }

 private:
  const std::uint32_t* offsets_;
  const std::uint32_t* columns_;
};

class ShapleyOfLeaf {
 public:
  ShapleyOfLeaf(const TreeOfPlayers& tree, const Divided& columns)
      : n_players_(tree.n_players), n_outputs_(tree.n_outputs), columns_(columns) {
    if (n_players_ > 0) of_one_ = coalition_weights(n_players_ - 1);
    if (n_players_ > 1) of_two_ = coalition_weights(n_players_ - 2);
  }

  // Adds to out [columns][n_outputs].
  void values(const double* worth, double* out) const {
    std::vector<double> earned(n_outputs_);
    for (std::size_t player = 0; player < n_players_; ++player) {
      earn(worth, player, earned);
      const auto columns = columns_[player];
      for (const std::uint32_t column : columns) {
        add(earned, 1.0 / double(columns.size()), out + column * n_outputs_);
      }
    }
  }

  // Adds to out [pairs of columns][n_outputs].
  void interactions(const double* worth, double* out) const {
    std::vector<double> both(n_outputs_), alone(n_outputs_ * n_players_);
    for (std::size_t player = 0; player < n_players_; ++player) {
      earn(worth, player, both);
      std::copy(both.begin(), both.end(), alone.begin() + std::ptrdiff_t(player * n_outputs_));
    }
    for (std::size_t second = 0; second < n_players_; ++second) {
      for (std::size_t first = 0; first < second; ++first) {
        earn_together(worth, first, second, both);
        for (std::size_t k = 0; k < n_outputs_; ++k) {
          alone[first * n_outputs_ + k] -= both[k];
          alone[second * n_outputs_ + k] -= both[k];
        }
        divide(both, columns_[first], columns_[second], out);
        divide(both, columns_[second], columns_[first], out);
      }
    }
    for (std::size_t player = 0; player < n_players_; ++player) {
      std::copy_n(alone.data() + player * n_outputs_, n_outputs_, both.begin());
      divide(both, columns_[player], columns_[player], out);
    }
  }

 private:
  void earn(const double* worth, std::size_t player, std::vector<double>& out) const {
    std::fill(out.begin(), out.end(), 0.0);
    const std::size_t bit = std::size_t{1} << player;
    for (std::size_t others = 0; others < std::size_t{1} << n_players_; ++others) {
      if (others & bit) continue;
      const double weight = of_one_[std::size_t(__builtin_popcountll(others))];
      const double* without = worth + others * n_outputs_;
      const double* with = worth + (others | bit) * n_outputs_;
      for (std::size_t k = 0; k < n_outputs_; ++k) out[k] += weight * (with[k] - without[k]);
    }
  }

  // Half of what two players earn only together: each of the pair's two cells gets a half.
  void earn_together(const double* worth, std::size_t first, std::size_t second,
                     std::vector<double>& out) const {
    std::fill(out.begin(), out.end(), 0.0);
    const std::size_t a = std::size_t{1} << first, b = std::size_t{1} << second;
    for (std::size_t others = 0; others < std::size_t{1} << n_players_; ++others) {
      if (others & (a | b)) continue;
      const double weight = 0.5 * of_two_[std::size_t(__builtin_popcountll(others))];
      const double* none = worth + others * n_outputs_;
      const double* with_a = worth + (others | a) * n_outputs_;
      const double* with_b = worth + (others | b) * n_outputs_;
      const double* with_both = worth + (others | a | b) * n_outputs_;
      for (std::size_t k = 0; k < n_outputs_; ++k) {
        out[k] += weight * ((with_both[k] - with_a[k]) - (with_b[k] - none[k]));
      }
    }
  }

  void divide(const std::vector<double>& earned, std::span<const std::uint32_t> rows,
              std::span<const std::uint32_t> columns, double* out) const {
    const double share = 1.0 / double(rows.size() * columns.size());
    for (const std::size_t row : rows) {
      for (const std::size_t column : columns) {
        if (row > column) continue;
        add(earned, share, out + (row + column * (column + 1) / 2) * n_outputs_);
      }
    }
  }

  void add(const std::vector<double>& earned, double share, double* out) const {
    for (std::size_t k = 0; k < n_outputs_; ++k) out[k] += share * earned[k];
  }

  std::size_t n_players_, n_outputs_;
  Divided columns_;
  std::vector<double> of_one_, of_two_;
};

// Where a tree's levels, leaves and table begin.
struct TreePlace {
  std::size_t first_level, first_leaf, first_entry;
};

std::vector<TreePlace> places_of(const ForestOfPlayers& forest, const AskedLeaves& asked,
                                 bool interactions) {
  std::vector<TreePlace> places;
  TreePlace place{0, 0, 0};
  for (std::size_t t = 0; t < forest.depths.size(); ++t) {
    places.push_back(place);
    place.first_level += forest.depths[t];
    place.first_leaf += std::size_t{1} << forest.depths[t];
    place.first_entry += (asked.offsets[t + 1] - asked.offsets[t]) *
                         cells_of(forest.n_columns[t], interactions) * forest.n_outputs;
  }
  return places;
}

}  // namespace

void shapley_tables(const ForestOfPlayers& forest, const AskedLeaves& asked,
                    Expectation expectation, bool interactions, double* out_tables,
                    double* out_expected, int n_threads) {
  const std::vector<TreePlace> places = places_of(forest, asked, interactions);
  const std::size_t n_outputs = forest.n_outputs;
  parallel_for(forest.depths.size(), n_threads, [&](std::size_t t) {
    const TreeOfPlayers tree{{forest.level_players + places[t].first_level, forest.depths[t]},
                             forest.leaf_values + places[t].first_leaf * n_outputs,
                             forest.leaf_weights + places[t].first_leaf,
                             forest.player_offsets[t + 1] - forest.player_offsets[t],
                             n_outputs};
    Coalitions coalitions(tree, expectation);
    const ShapleyOfLeaf shapley(tree, Divided(forest, t));
    std::copy_n(coalitions.worth(0), n_outputs, out_expected + t * n_outputs);
    double* out = out_tables + places[t].first_entry;
    const std::size_t size = cells_of(forest.n_columns[t], interactions) * n_outputs;
    for (std::size_t i = asked.offsets[t]; i < asked.offsets[t + 1]; ++i, out += size) {
      std::fill_n(out, size, 0.0);
      const double* worth = coalitions.worth(asked.leaves[i]);
      if (interactions) {
        shapley.interactions(worth, out);
      } else {
        shapley.values(worth, out);
      }
    }
  });
}

}  // namespace ocelot
