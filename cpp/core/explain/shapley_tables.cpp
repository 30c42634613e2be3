#include "explain/shapley_tables.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "shared/multiversion.h"
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

// Sums over the coalitions with a bit, for each bit, out [n_bits][n_outputs]; overwrites the
// values [2^n_bits][n_outputs]. The last bit is that of the upper half, which is then added to the
// lower one: a coalition and the same with the last player are one coalition of the others.
OCELOT_HOT void sums_with_each(double* values, std::size_t n_bits, std::size_t n_outputs,
                               double* out) {
  for (std::size_t bit = n_bits; bit-- > 0;) {
    const std::size_t half = n_outputs << bit;
    for (std::size_t k = 0; k < n_outputs; ++k) out[bit * n_outputs + k] = 0.0;
    for (std::size_t i = 0; i < half; i += n_outputs) {
      for (std::size_t k = 0; k < n_outputs; ++k) {
        out[bit * n_outputs + k] += values[half + i + k];
      }
    }
    for (std::size_t i = 0; i < half; ++i) values[i] += values[half + i];
  }
}

// What players earn alone and in pairs, from the worth v of all coalitions. With the weights w of
// coalitions of n - 1 others,
//
//   earned(i)  =  Σ over S with i: w(|S| - 1) v(S)  -  Σ over S without i: w(|S|) v(S)
//              =  Σ over S with i: (w(|S| - 1) + w(|S|)) v(S)  -  Σ over all S: w(|S|) v(S)
//
// so sums over the coalitions with each player are enough; likewise for pairs, of which each of the
// two cells gets a half.
class Earnings {
 public:
  Earnings(std::size_t n_players, std::size_t n_outputs)
      : n_players_(n_players),
        n_outputs_(n_outputs),
        weights_(n_players + 1),
        pair_weights_(n_players + 1),
        values_(n_outputs << n_players),
        copy_(n_outputs << n_players),
        total_(n_outputs),
        sums_(n_players * n_outputs),
        alone_(n_players * n_outputs),
        pairs_(n_players * n_players * n_outputs) {
    if (n_players > 0) set(weights_, coalition_weights(n_players - 1));
    if (n_players > 1) set(pair_weights_, coalition_weights(n_players - 2));
  }

  // [n_players][n_outputs], by bit.
  const double* alone(const double* worth) {
    weigh(worth, [&](std::size_t size) { return at(weights_, size); });
    add_up(total_.data());
    weigh(worth, [&](std::size_t size) { return at(weights_, size - 1) + at(weights_, size); });
    sums_with_each(values_.data(), n_players_, n_outputs_, alone_.data());
    for (std::size_t i = 0; i < alone_.size(); ++i) alone_[i] -= total_[i % n_outputs_];
    return alone_.data();
  }

  // [n_players][n_players][n_outputs], by bits; those on the diagonal are not set.
  const double* pairs(const double* worth) {
    const auto w = [&](std::size_t size) { return 0.5 * at(pair_weights_, size); };
    weigh(worth, w);
    add_up(total_.data());
    weigh(worth, [&](std::size_t size) { return w(size - 1) + w(size); });
    sums_with_each(values_.data(), n_players_, n_outputs_, sums_.data());
    weigh(worth, [&](std::size_t size) { return w(size - 2) + 2.0 * w(size - 1) + w(size); });
    for (std::size_t a = n_players_; a-- > 0;) {
      const std::size_t half = n_outputs_ << a;
      std::copy_n(values_.data() + half, half, copy_.data());
      sums_with_each(copy_.data(), a, n_outputs_, pairs_.data() + a * n_players_ * n_outputs_);
      for (std::size_t i = 0; i < half; ++i) values_[i] += values_[half + i];
      for (std::size_t b = 0; b < a; ++b) {
        for (std::size_t k = 0; k < n_outputs_; ++k) {
          double& pair = pairs_[(a * n_players_ + b) * n_outputs_ + k];
          pair += total_[k] - sums_[a * n_outputs_ + k] - sums_[b * n_outputs_ + k];
          pairs_[(b * n_players_ + a) * n_outputs_ + k] = pair;
        }
      }
    }
    return pairs_.data();
  }

 private:
  static void set(std::vector<double>& weights, const std::vector<double>& of_sizes) {
    std::copy(of_sizes.begin(), of_sizes.end(), weights.begin());
  }

  // 0 for sizes that no coalition of the others has.
  static double at(const std::vector<double>& weights, std::size_t size) {
    return size < weights.size() ? weights[size] : 0.0;
  }

  template <class Weight>
  void weigh(const double* worth, Weight&& weight) {
    double of_size[17 + 1];
    for (std::size_t size = 0; size <= n_players_; ++size) of_size[size] = weight(size);
    for (std::size_t coalition = 0; coalition < std::size_t{1} << n_players_; ++coalition) {
      const double own = of_size[std::size_t(__builtin_popcountll(coalition))];
      for (std::size_t k = 0; k < n_outputs_; ++k) {
        values_[coalition * n_outputs_ + k] = own * worth[coalition * n_outputs_ + k];
      }
    }
  }

  void add_up(double* out) const {
    std::fill_n(out, n_outputs_, 0.0);
    for (std::size_t i = 0; i < values_.size(); i += n_outputs_) {
      for (std::size_t k = 0; k < n_outputs_; ++k) out[k] += values_[i + k];
    }
  }

  std::size_t n_players_, n_outputs_;
  std::vector<double> weights_, pair_weights_, values_, copy_, total_, sums_, alone_, pairs_;
};

// Lines of one tree's table: what players earn, divided among their columns.
class LinesOfTree {
 public:
  LinesOfTree(const TreeOfPlayers& tree, const Coalitions& coalitions, const Divided& columns)
      : n_players_(tree.n_players),
        n_outputs_(tree.n_outputs),
        coalitions_(coalitions),
        columns_(columns),
        earnings_(tree.n_players, tree.n_outputs) {}

  // Adds to out [columns][n_outputs].
  void values(const double* worth, double* out) {
    const double* earned = earnings_.alone(worth);
    for (std::size_t player = 0; player < n_players_; ++player) {
      const auto columns = columns_[player];
      for (const std::uint32_t column : columns) {
        add(earned + coalitions_.bit(player) * n_outputs_, 1.0 / double(columns.size()),
            out + column * n_outputs_);
      }
    }
  }

  // Adds to out [pairs of columns][n_outputs].
  void interactions(const double* worth, double* out) {
    const double* earned = earnings_.alone(worth);
    const double* pairs = earnings_.pairs(worth);
    std::vector<double> own(n_outputs_);
    for (std::size_t first = 0; first < n_players_; ++first) {
      const std::size_t a = coalitions_.bit(first);
      std::copy_n(earned + a * n_outputs_, n_outputs_, own.begin());
      for (std::size_t second = 0; second < n_players_; ++second) {
        if (second == first) continue;
        const double* pair = pairs + (a * n_players_ + coalitions_.bit(second)) * n_outputs_;
        for (std::size_t k = 0; k < n_outputs_; ++k) own[k] -= pair[k];
        divide(pair, columns_[first], columns_[second], out);
      }
      divide(own.data(), columns_[first], columns_[first], out);
    }
  }

 private:
  void divide(const double* earned, std::span<const std::uint32_t> rows,
              std::span<const std::uint32_t> columns, double* out) const {
    const double share = 1.0 / double(rows.size() * columns.size());
    for (const std::size_t row : rows) {
      for (const std::size_t column : columns) {
        if (row > column) continue;
        add(earned, share, out + (row + column * (column + 1) / 2) * n_outputs_);
      }
    }
  }

  void add(const double* earned, double share, double* out) const {
    for (std::size_t k = 0; k < n_outputs_; ++k) out[k] += share * earned[k];
  }

  std::size_t n_players_, n_outputs_;
  const Coalitions& coalitions_;
  Divided columns_;
  Earnings earnings_;
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

// Places among the leaves, such that each leaf has much in common with the one before.
std::vector<std::size_t> in_quick_order(std::span<const std::uint32_t> leaves, std::size_t depth) {
  std::vector<std::size_t> places(leaves.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::sort(places.begin(), places.end(), [&](std::size_t a, std::size_t b) {
    return Coalitions::place_in_order(leaves[a], depth) <
           Coalitions::place_in_order(leaves[b], depth);
  });
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
    LinesOfTree lines(tree, coalitions, Divided(forest, t));
    std::copy_n(coalitions.worth(0), n_outputs, out_expected + t * n_outputs);
    const std::size_t size = cells_of(forest.n_columns[t], interactions) * n_outputs;
    double* const out = out_tables + places[t].first_entry;
    const std::span<const std::uint32_t> leaves{asked.leaves + asked.offsets[t],
                                                asked.leaves + asked.offsets[t + 1]};
    for (const std::size_t line : in_quick_order(leaves, tree.depth())) {
      double* const own = out + line * size;
      std::fill_n(own, size, 0.0);
      const double* worth = coalitions.worth(leaves[line]);
      if (interactions) {
        lines.interactions(worth, own);
      } else {
        lines.values(worth, own);
      }
    }
  });
}

}  // namespace ocelot
