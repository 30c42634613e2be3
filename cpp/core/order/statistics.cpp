#include "order/statistics.h"

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "order/row_addends.h"
#include "shared/multiversion.h"
#include "shared/pool.h"

namespace ocelot {
namespace {

constexpr std::size_t lookahead = 16;

// Even borders from low to high.
struct Cut {
  double low, scale;

  std::uint32_t bin(double statistic) const {
    const double x = (statistic - low) * scale;
    return x <= 0 ? 0 : x >= 15 ? 15 : std::uint32_t(x);
  }
};

Cut cut(double low, double high) { return {low, 15.0 / (high - low)}; }

// Bins, two to a byte, in the order of the columns.
class HalfBytes {
 public:
  explicit HalfBytes(std::uint8_t* out) : out_(out) {}
  void put(std::uint32_t bin) {
    if (column_ % 2) {
      out_[column_ / 2] = std::uint8_t(out_[column_ / 2] | bin << 4);
    } else {
      out_[column_ / 2] = std::uint8_t(bin);
    }
    ++column_;
  }

 private:
  std::uint8_t* out_;
  std::size_t column_ = 0;
};

std::uint32_t frequency_bin(double count, double total) { return cut(0, 1).bin(count / total); }

// Counts and sums are int64 in units. Where there are no weights, all targets are 0 or 1 and all
// units are 1, uint32 holds the same numbers, so both give the same bins.
template <class Number>
constexpr bool counts_rows = std::is_same_v<Number, std::uint32_t>;

template <class Number>
OCELOT_INLINE double worth(Number number, double unit) {
  return counts_rows<Number> ? double(number) : double(number) * unit;
}

// From a count and sums to the bins of all columns.
class Bins {
 public:
  Bins(const StatisticColumns& columns, const double* units) : columns_(columns), units_(units) {
    for (std::size_t c = 0; c < columns.n_targets * columns.n_priors; ++c) {
      cuts_.push_back(cut(columns.lows[c], columns.highs[c]));
      prior_sums_.push_back(columns.prior_weight * columns.priors[c]);
    }
  }

  std::size_t n_bytes() const { return columns_.n_bytes; }

  // The frequency, where it is wanted, comes after the other columns.
  template <class Number>
  void write(const Number* sums, std::uint32_t frequency_bin, std::uint8_t* out) const {
    HalfBytes bins(out);
    const double total = worth(sums[0], units_[0]) + columns_.prior_weight;
    for (std::size_t t = 0, c = 0; t < columns_.n_targets; ++t) {
      const double sum = worth(sums[1 + t], units_[1 + t]);
      for (const std::size_t end = c + columns_.n_priors; c < end; ++c) {
        bins.put(cuts_[c].bin((sum + prior_sums_[c]) / total));
      }
    }
    if (columns_.frequency) bins.put(frequency_bin);
  }

 private:
  const StatisticColumns& columns_;
  const double* units_;
  std::vector<Cut> cuts_;
  std::vector<double> prior_sums_;
};

// The frequency's bin of each value.
using FrequencyBins = std::vector<std::uint8_t>;

template <class Number>
FrequencyBins frequency_bins(std::span<const Number> counts, Number largest, double unit) {
  const double total = 1 + worth(largest, unit);
  // Most values are rare: their bins are looked up, not divided for.
  constexpr std::size_t n_rare = 64;
  std::uint8_t of_rare[n_rare];
  for (std::size_t count = 0; count < n_rare; ++count) {
    of_rare[count] = std::uint8_t(frequency_bin(worth(Number(count), unit), total));
  }
  FrequencyBins bins(counts.size());
  for (std::size_t v = 0; v < counts.size(); ++v) {
    const auto count = std::size_t(counts[v]);
    bins[v] = count < n_rare ? of_rare[count]
                             : std::uint8_t(frequency_bin(worth(counts[v], unit), total));
  }
  return bins;
}

// How often each value of a combination occurs, compared with the most frequent one: as it is
// known, or in the rows from `begin` on.
template <class Number>
FrequencyBins frequencies_of(const StatisticInputs& inputs, std::size_t combination,
                             std::size_t begin) {
  const std::size_t n_values = inputs.n_values(combination);
  const double unit = inputs.units[0];
  if (!inputs.known.counts.empty()) {
    const auto counts = inputs.known.counts.subspan(inputs.first_entry(combination), n_values);
    return frequency_bins(counts, inputs.known.largest[combination], unit);
  }
  const std::uint32_t* const codes = inputs.codes(combination);
  const RowAddends addends(inputs.targets, inputs.weights, inputs.units);
  std::vector<Number> counts(n_values);
  for (std::size_t row = begin; row < inputs.n_rows(); ++row) {
    counts[codes[row]] += counts_rows<Number> ? Number(1) : Number(addends.count(row));
  }
  if (counts.empty()) return {};
  const Number largest = *std::max_element(counts.begin(), counts.end());
  return frequency_bins(std::span<const Number>(counts), largest, unit);
}

// The statistic of one combination in one ordering.
template <class Number>
class Scan {
 public:
  Scan(const StatisticInputs& inputs, std::size_t combination, const Bins& bins,
       const FrequencyBins& frequencies)
      : codes_(inputs.codes(combination)),
        targets_(inputs.targets),
        addends_(inputs.targets, inputs.weights, inputs.units),
        count_unit_(inputs.units[0]),
        n_ordered_(inputs.n_ordered()),
        n_fields_(inputs.targets.n_lines + 1),
        n_bytes_(bins.n_bytes()),
        bins_(bins),
        frequencies_(frequencies) {
    // Memory of this thread: sums of many values, made anew each time, would be cleared twice.
    static thread_local std::vector<Number> memory;
    const std::size_t size = inputs.n_values(combination) * n_fields_;
    if (inputs.known.before.empty()) {
      memory.assign(size, Number(0));
    } else {
      const auto before =
          inputs.known.before.subspan(inputs.first_entry(combination) * n_fields_, size);
      memory.assign(before.begin(), before.end());
    }
    sums_ = memory.data();
  }

  // Rows below n_out_rows get a statistic.
  void run(const std::uint32_t* order, const HistoryRule& history, std::size_t n_out_rows,
           std::uint8_t* out) {
    if (history.kind == History::before) {
      run_in_order(order, history.window, n_out_rows, out);
    } else {
      run_together(order, history.kind, n_out_rows, out);
    }
  }

 private:
  void run_together(const std::uint32_t* order, History kind, std::size_t n_out_rows,
                    std::uint8_t* out) {
    const std::size_t first_row = kind == History::apart ? n_out_rows : 0;
    for (std::size_t k = 0; k < n_ordered_; ++k) {
      prefetch_sums(order, k);
      if (order[k] >= first_row) add(sums_of(order[k]), order[k], 1);
    }
    std::vector<Number> own(n_fields_);
    for (std::size_t k = 0; k < n_ordered_; ++k) {
      prefetch_sums(order, k);
      const std::size_t row = order[k];
      if (row >= n_out_rows) continue;
      std::copy_n(sums_of(row), n_fields_, own.data());
      if (kind == History::all_but_own) add(own.data(), row, -1);
      bins_.write(own.data(), frequencies_[codes_[row]], out + row * n_bytes_);
    }
  }

  void run_in_order(const std::uint32_t* order, std::size_t window, std::size_t n_out_rows,
                    std::uint8_t* out) {
    const double window_total = window ? 1 + worth(largest_of_last(order, window), count_unit_) : 0;
    for (std::size_t k = 0; k < n_ordered_; ++k) {
      prefetch_sums(order, k);
      if (k + lookahead < n_ordered_ && order[k + lookahead] < n_out_rows) {
        __builtin_prefetch(out + order[k + lookahead] * n_bytes_, 1);
      }
      const std::uint32_t row = order[k];
      Number* sums = sums_of(row);
      if (row < n_out_rows) {
        // In a window the frequency is that of the window.
        const std::uint32_t frequency =
            window ? frequency_bin(worth(sums[0], count_unit_), window_total)
                   : frequencies_[codes_[row]];
        bins_.write(sums, frequency, out + row * n_bytes_);
      }
      add(sums, row, 1);
      if (window && k >= window) add(sums_of(order[k - window]), order[k - window], -1);
    }
  }

  // The largest count of the last window, which is the history of new rows.
  Number largest_of_last(const std::uint32_t* order, std::size_t window) {
    const std::uint32_t* first = order + (n_ordered_ - std::min(window, n_ordered_));
    Number largest = 0;
    for (const std::uint32_t* row = first; row < order + n_ordered_; ++row) {
      largest = std::max(largest, sums_of(*row)[0] += count(*row));
    }
    for (const std::uint32_t* row = first; row < order + n_ordered_; ++row) sums_of(*row)[0] = 0;
    return largest;
  }

  // Of a row that comes soon: values are all over the place.
  OCELOT_INLINE void prefetch_sums(const std::uint32_t* order, std::size_t k) const {
    if (k + 2 * lookahead < n_ordered_) __builtin_prefetch(&codes_[order[k + 2 * lookahead]]);
    if (k + lookahead < n_ordered_) __builtin_prefetch(sums_of(order[k + lookahead]));
  }

  Number* sums_of(std::size_t row) const { return &sums_[codes_[row] * n_fields_]; }

  Number count(std::size_t row) const {
    return counts_rows<Number> ? Number(1) : Number(addends_.count(row));
  }

  void add(Number* sums, std::size_t row, int sign) const {
    if constexpr (counts_rows<Number>) {
      sums[0] += Number(sign);
      for (std::size_t t = 0; t + 1 < n_fields_; ++t) {
        sums[1 + t] += Number(sign) * Number(targets_[t][row]);
      }
    } else {
      addends_.add(sums, row, sign);
    }
  }

  const std::uint32_t* codes_;
  Matrix<const float> targets_;
  RowAddends addends_;
  double count_unit_;
  std::size_t n_ordered_, n_fields_, n_bytes_;
  const Bins& bins_;
  const FrequencyBins& frequencies_;
  Number* sums_;  // of each value its count, then the sum of each target
};

// The usual case, of one target that is 0 or 1, up to three priors and the frequency: all columns
// of a row at once, in the lanes of a vector.
constexpr std::size_t fast_priors = 3;
constexpr std::uint32_t count_mask = 0x0fffffff;  // the frequency's bin is above the count

typedef double Four __attribute__((vector_size(32)));
typedef std::int32_t FourBins __attribute__((vector_size(16)));

struct FourCuts {
  Four prior_sums{}, lows{}, scales{};
  double prior_weight;
  std::uint32_t frequency_shift;
  std::size_t n_bytes;

  explicit FourCuts(const StatisticColumns& columns)
      : prior_weight(columns.prior_weight),
        frequency_shift(std::uint32_t(4 * columns.n_priors)),
        n_bytes(columns.n_bytes) {
    for (std::size_t p = 0; p < columns.n_priors; ++p) {
      const Cut own = cut(columns.lows[p], columns.highs[p]);
      prior_sums[p] = columns.prior_weight * columns.priors[p];
      lows[p] = own.low;
      scales[p] = own.scale;
    }
  }
};

struct CountAndSum {
  std::uint32_t count, sum;
};

// One combination in one ordering: codes of the rows, the row and the target at each time.
struct RowsInTime {
  const std::uint32_t *codes, *order;
  const std::uint8_t* targets;
  std::size_t n_ordered, n_out_rows;
};

// sums [n_values] begin with the frequency's bins and what is known already.
template <std::size_t n_bytes>
OCELOT_INLINE void scan_in_order(const RowsInTime& rows, const FourCuts& cuts, CountAndSum* sums,
                                 std::uint8_t* out) {
  const std::uint32_t *const codes = rows.codes, *const order = rows.order;
  const std::uint8_t* const targets = rows.targets;
  const std::size_t n_ordered = rows.n_ordered, n_out_rows = rows.n_out_rows;
  const Four prior_sums = cuts.prior_sums, lows = cuts.lows, scales = cuts.scales;
  const Four zero{}, last = zero + 15.0;
  const double prior_weight = cuts.prior_weight;
  const std::uint32_t frequency_shift = cuts.frequency_shift;
  for (std::size_t k = 0; k < n_ordered; ++k) {
    if (k + 2 * lookahead < n_ordered) __builtin_prefetch(&codes[order[k + 2 * lookahead]]);
    if (k + lookahead < n_ordered) {
      const std::uint32_t ahead = order[k + lookahead];
      __builtin_prefetch(&sums[codes[ahead]]);
      __builtin_prefetch(out + ahead * n_bytes, 1);
    }
    const std::uint32_t row = order[k];
    CountAndSum& own = sums[codes[row]];
    const double total = double(std::int32_t(own.count & count_mask)) + prior_weight;
    const Four statistic = (prior_sums + double(std::int32_t(own.sum))) / (zero + total);
    Four x = (statistic - lows) * scales;
    x = x > zero ? x : zero;
    x = x < last ? x : last;
    const FourBins bins = __builtin_convertvector(x, FourBins);
    const auto packed = std::uint16_t(bins[0] | bins[1] << 4 | bins[2] << 8 |
                                      int(own.count >> 28) << frequency_shift);
    if (row < n_out_rows) std::memcpy(out + row * n_bytes, &packed, n_bytes);
    own.count += 1;
    own.sum += targets[k];
  }
}

OCELOT_HOT void scan(const RowsInTime& rows, const FourCuts& cuts, CountAndSum* sums,
                     std::uint8_t* out) {
  cuts.n_bytes == 2 ? scan_in_order<2>(rows, cuts, sums, out)
                    : scan_in_order<1>(rows, cuts, sums, out);
}

bool are_counts(const StatisticInputs& inputs) {
  if (inputs.weights) return false;
  const Matrix<const float>& targets = inputs.targets;
  return std::all_of(inputs.units, inputs.units + targets.n_lines + 1,
                     [](double unit) { return unit == 1.0; }) &&
         std::all_of(targets.data, targets.data + targets.n_lines * targets.stride,
                     [](float t) { return t == 0.0f || t == 1.0f; });
}

// Do all counts stay between 0 and `most`, and sums of zeros and ones as well?
bool are_at_most(const StatisticInputs& inputs, std::size_t most) {
  if (inputs.n_ordered() > most) return false;
  const auto most_before = std::int64_t(most - inputs.n_ordered());
  return std::all_of(inputs.known.before.begin(), inputs.known.before.end(),
                     [&](std::int64_t total) { return total >= 0 && total <= most_before; });
}

bool is_usual(const StatisticInputs& inputs, const HistoryRule& history,
              const StatisticColumns& columns) {
  return history.kind == History::before && history.window == 0 && columns.n_targets == 1 &&
         columns.n_priors <= fast_priors && columns.frequency && are_at_most(inputs, count_mask);
}

void run_fast(const StatisticInputs& inputs, const StatisticColumns& columns,
              const FilledPages& out, int n_threads) {
  const FourCuts cuts(columns);
  const std::size_t n_ordered = inputs.n_ordered(), n_orderings = inputs.n_orderings();
  std::vector<std::uint8_t> targets(n_orderings * n_ordered);  // in the order of time
  parallel_blocks(targets.size(), 65536, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    for (std::size_t i = begin; i < end; ++i) {
                      targets[i] = std::uint8_t(inputs.targets.data[inputs.orders.data[i]]);
                    }
                  });
  parallel_for(inputs.n_combinations() * n_orderings, n_threads, [&](std::size_t task) {
    const std::size_t c = task / n_orderings, r = task % n_orderings;
    const std::size_t n_values = inputs.n_values(c);
    const FrequencyBins frequencies = frequencies_of<std::uint32_t>(inputs, c, 0);
    // Memory of this thread: sums of many values, allocated anew each time, cost more to clear.
    static thread_local std::vector<CountAndSum> sums;
    sums.resize(std::max(sums.size(), n_values));
    for (std::size_t v = 0; v < n_values; ++v) {
      sums[v] = {std::uint32_t(frequencies[v]) << 28, 0};
    }
    if (!inputs.known.before.empty()) {
      const std::int64_t* const before = inputs.known.before.data() + 2 * inputs.first_entry(c);
      for (std::size_t v = 0; v < n_values; ++v) {
        sums[v].count += std::uint32_t(before[2 * v]);
        sums[v].sum = std::uint32_t(before[2 * v + 1]);
      }
    }
    const RowsInTime rows{inputs.codes(c), inputs.orders[r], targets.data() + r * n_ordered,
                          n_ordered, out.n_rows};
    scan(rows, cuts, sums.data(), out[task]);
  });
}

template <class Number>
void run_any(const StatisticInputs& inputs, const HistoryRule& history,
             const StatisticColumns& columns, const FilledPages& out, int n_threads) {
  const Bins bins(columns, inputs.units);
  const std::size_t n_orderings = inputs.n_orderings();
  std::vector<FrequencyBins> frequencies(inputs.n_combinations());
  const std::size_t begin = history.kind == History::apart ? out.n_rows : 0;
  parallel_for(inputs.n_combinations(), n_threads,
               [&](std::size_t c) { frequencies[c] = frequencies_of<Number>(inputs, c, begin); });
  parallel_for(inputs.n_combinations() * n_orderings, n_threads, [&](std::size_t task) {
    const std::size_t c = task / n_orderings, r = task % n_orderings;
    Scan<Number>(inputs, c, bins, frequencies[c])
        .run(inputs.orders[r], history, out.n_rows, out[task]);
  });
}

}  // namespace

void target_statistics(const StatisticInputs& inputs, const HistoryRule& history,
                       const StatisticColumns& columns, const FilledPages& out, int n_threads) {
  if (!are_counts(inputs) || !are_at_most(inputs, UINT32_MAX)) {
    run_any<std::int64_t>(inputs, history, columns, out, n_threads);
  } else if (is_usual(inputs, history, columns)) {
    run_fast(inputs, columns, out, n_threads);
  } else {
    run_any<std::uint32_t>(inputs, history, columns, out, n_threads);
  }
}

}  // namespace ocelot
