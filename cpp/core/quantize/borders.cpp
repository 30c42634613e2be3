#include "quantize/borders.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <queue>
#include <type_traits>
#include <vector>

#include "shared/pool.h"
#include "shared/vector_math.h"

namespace ocelot {
namespace {

// Distinct values of a column, ascending; mass[i] is the weight of all values before value i, so
// the last entry is the whole.
struct Distribution {
  std::vector<double> values;
  std::vector<double> mass;
};

// Between two neighbours; never equal to the upper one, even when the upper one is infinite.
double border_between(double lower, double upper) {
  const double middle = lower + (upper - lower) / 2;
  return middle >= lower && middle < upper ? middle : lower;
}

// A range of distinct values and the best cut inside it: before value `cut`.
struct Range {
  std::size_t begin, end, cut;
  double score;
  bool operator<(const Range& other) const {
    // Of equal scores the leftmost is split first.
    return score != other.score ? score < other.score : begin > other.begin;
  }
};

// The cut is sought on both sides of the value that stands in the middle of the range.
bool best_cut(const Distribution& d, std::size_t begin, std::size_t end, Range& out) {
  if (end - begin < 2) return false;
  const double low = d.mass[begin], high = d.mass[end];
  const double middle = low + (high - low) / 2;
  const auto above = std::upper_bound(d.mass.begin() + begin, d.mass.begin() + end, middle);
  const std::size_t value = std::size_t(above - d.mass.begin()) - 1;
  const auto score_at = [&](std::size_t cut) {
    return vector_log(d.mass[cut] - low + 1e-8) + vector_log(high - d.mass[cut] + 1e-8) -
           vector_log(high - low + 1e-8);
  };
  out = {begin, end, 0, 0};
  const bool has_left = value > begin, has_right = value + 1 < end;
  const double left = has_left ? score_at(value) : 0;
  const double right = has_right ? score_at(value + 1) : 0;
  const bool take_left = has_left && (!has_right || left >= right);
  out.cut = take_left ? value : value + 1;
  out.score = take_left ? left : right;
  return true;
}

std::vector<double> greedy_log_sum(const Distribution& d, std::size_t max_borders) {
  std::vector<double> borders;
  std::priority_queue<Range> ranges;
  Range range;
  if (best_cut(d, 0, d.values.size(), range)) ranges.push(range);
  while (!ranges.empty() && borders.size() < max_borders) {
    const Range top = ranges.top();
    ranges.pop();
    borders.push_back(border_between(d.values[top.cut - 1], d.values[top.cut]));
    if (best_cut(d, top.begin, top.cut, range)) ranges.push(range);
    if (best_cut(d, top.cut, top.end, range)) ranges.push(range);
  }
  std::sort(borders.begin(), borders.end());
  return borders;
}

// Cuts at equal parts of the mass.
std::vector<double> quantile(const Distribution& d, std::size_t max_borders) {
  std::vector<double> borders;
  const double total = d.mass.back();
  std::size_t last_cut = 0;
  for (std::size_t i = 1; i <= max_borders; ++i) {
    const double needed = total * double(i) / double(max_borders + 1);
    const auto at = std::lower_bound(d.mass.begin(), d.mass.end(), needed);
    const std::size_t cut = std::size_t(at - d.mass.begin());
    if (cut <= last_cut || cut >= d.values.size()) continue;
    borders.push_back(border_between(d.values[cut - 1], d.values[cut]));
    last_cut = cut;
  }
  return borders;
}

// Cuts at equal distances between the smallest and the largest finite value.
std::vector<double> uniform(const Distribution& d, std::size_t max_borders) {
  std::vector<double> borders;
  const auto finite = [](double value) { return std::isfinite(value); };
  const auto first = std::find_if(d.values.begin(), d.values.end(), finite);
  const auto last = std::find_if(d.values.rbegin(), d.values.rend(), finite);
  if (first == d.values.end()) return greedy_log_sum(d, max_borders);
  const double low = *first, high = *last;
  for (std::size_t i = 1; i <= max_borders && low < high; ++i) {
    const double share = double(i) / double(max_borders + 1);
    const double border = low * (1 - share) + high * share;
    if (border < high && (borders.empty() || border > borders.back())) borders.push_back(border);
  }
  // Infinite ends take a border each where there is room.
  if (first != d.values.begin() && borders.size() < max_borders) {
    borders.insert(borders.begin(), border_between(*(first - 1), *first));
  }
  if (last != d.values.rbegin() && borders.size() < max_borders) borders.push_back(high);
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  return borders;
}

template <class Number>
using KeyOf = std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint64_t>;

// An unsigned key in the order of the numbers, and back. -0 and 0 are one value.
template <class Number>
KeyOf<Number> to_key(Number value) {
  using Key = KeyOf<Number>;
  constexpr Key sign = Key{1} << (sizeof(Key) * 8 - 1);
  const Key bits = std::bit_cast<Key>(value + Number(0));
  return bits & sign ? Key(~bits) : Key(bits | sign);
}
template <class Number>
Number from_key(KeyOf<Number> key) {
  using Key = KeyOf<Number>;
  constexpr Key sign = Key{1} << (sizeof(Key) * 8 - 1);
  return std::bit_cast<Number>(key & sign ? Key(key & ~sign) : Key(~key));
}

// Sorts by 11 bits at a time; passes in which all keys agree are skipped.
template <class Key>
void radix_sort(std::vector<Key>& keys, std::vector<Key>& spare) {
  constexpr unsigned bits = 11;
  constexpr std::size_t n_buckets = std::size_t{1} << bits;
  spare.resize(keys.size());
  for (unsigned shift = 0; shift < sizeof(Key) * 8; shift += bits) {
    std::size_t counts[n_buckets] = {};
    for (const Key key : keys) ++counts[(key >> shift) & (n_buckets - 1)];
    if (counts[(keys[0] >> shift) & (n_buckets - 1)] == keys.size()) continue;
    std::size_t position = 0;
    for (std::size_t& count : counts) {
      const std::size_t size = count;
      count = position;
      position += size;
    }
    for (const Key key : keys) spare[counts[(key >> shift) & (n_buckets - 1)]++] = key;
    keys.swap(spare);
  }
}

template <class Number>
Distribution distribution_of(std::vector<KeyOf<Number>>& keys) {
  using Key = KeyOf<Number>;
  static thread_local std::vector<Key> spare;
  Distribution d;
  if (keys.size() < 256) {
    std::sort(keys.begin(), keys.end());
  } else {
    radix_sort(keys, spare);
  }
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i == 0 || keys[i] != keys[i - 1]) {
      d.values.push_back(double(from_key<Number>(keys[i])));
      d.mass.push_back(double(i));
    }
  }
  d.mass.push_back(double(keys.size()));
  return d;
}

template <class Number>
Distribution weighted_distribution(const Values<Number>& values, std::size_t column,
                                   const Sample& sample) {
  std::vector<std::pair<double, double>> sorted;
  for (const std::uint32_t row : sample.rows) {
    const Number value = values.at(row, column);
    if (value == value && sample.weights[row] > 0) {
      sorted.emplace_back(double(value) + 0.0, double(sample.weights[row]));
    }
  }
  std::sort(sorted.begin(), sorted.end());
  Distribution d;
  double mass = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i == 0 || sorted[i].first != sorted[i - 1].first) {
      d.values.push_back(sorted[i].first);
      d.mass.push_back(mass);
    }
    mass += sorted[i].second;
  }
  d.mass.push_back(mass);
  return d;
}

std::vector<double> borders_of(const Distribution& d, BorderRule rule, std::size_t max_borders) {
  if (d.values.size() < 2) return {};
  switch (rule) {
    case BorderRule::greedy_log_sum: return greedy_log_sum(d, max_borders);
    case BorderRule::quantile: return quantile(d, max_borders);
    case BorderRule::uniform: return uniform(d, max_borders);
  }
  return {};
}

}  // namespace

template <class Number>
void choose_borders(const Values<Number>& values, const Sample& sample, BorderRule rule,
                    const ChosenBorders& out, int n_threads) {
  using Key = KeyOf<Number>;
  const auto finish = [&](std::size_t column, const Distribution& d) {
    const std::vector<double> borders = borders_of(d, rule, out.max_borders[column]);
    std::copy(borders.begin(), borders.end(), out.borders[column]);
    out.counts[column] = std::uint32_t(borders.size());
  };
  if (sample.weights) {
    parallel_for(values.n_columns, n_threads, [&](std::size_t column) {
      finish(column, weighted_distribution(values, column, sample));
    });
    return;
  }
  // A few columns at a time: rows of a row-major table are read once for all of them, and the
  // copies stay small.
  constexpr std::size_t columns_per_batch = 16;
  constexpr std::size_t rows_per_task = 8192;
  std::vector<std::vector<Key>> keys(columns_per_batch);
  for (std::size_t first = 0; first < values.n_columns; first += columns_per_batch) {
    const std::size_t n_columns = std::min(columns_per_batch, values.n_columns - first);
    for (std::size_t k = 0; k < n_columns; ++k) keys[k].resize(sample.rows.size());
    parallel_blocks(sample.rows.size(), rows_per_task, n_threads,
                    [&](std::size_t begin, std::size_t end, std::size_t) {
                      for (std::size_t i = begin; i < end; ++i) {
                        for (std::size_t k = 0; k < n_columns; ++k) {
                          keys[k][i] = to_key(values.at(sample.rows[i], first + k));
                        }
                      }
                    });
    parallel_for(n_columns, n_threads, [&](std::size_t k) {
      // Keys of NaN lie beyond the keys of the infinities.
      const Key lowest = to_key(-std::numeric_limits<Number>::infinity());
      const Key highest = to_key(std::numeric_limits<Number>::infinity());
      std::erase_if(keys[k], [&](Key key) { return key < lowest || key > highest; });
      finish(first + k, distribution_of<Number>(keys[k]));
    });
  }
}

template void choose_borders(const Values<float>&, const Sample&, BorderRule, const ChosenBorders&,
                             int);
template void choose_borders(const Values<double>&, const Sample&, BorderRule, const ChosenBorders&,
                             int);

}  // namespace ocelot
