#include "quantize/quantize.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "shared/multiversion.h"
#include "shared/pool.h"

namespace ocelot {
namespace {

constexpr std::size_t rows_per_task = 1024;
constexpr std::size_t block_size = 128;

// The largest Number that is not above the border: value > border exactly when value > result.
float round_down(double border, float) {
  const float nearest = float(border);
  return double(nearest) > border ? std::nextafter(nearest, -std::numeric_limits<float>::infinity())
                                  : nearest;
}
double round_down(double border, double) { return border; }

constexpr std::size_t n_buckets = 2048;
constexpr std::size_t most_probes = 4;
constexpr std::size_t rows_worth_buckets = 4096;

template <class Number>
OCELOT_INLINE std::int32_t bucket_of(Number value, Number first, Number scale) {
  Number place = (value - first) * scale;
  place = place > 0 ? place : Number(0);  // NaN becomes 0 too
  place = place < Number(n_buckets - 1) ? place : Number(n_buckets - 1);
  return std::int32_t(place);
}

// Two ways to count the borders below a number without branches.
//
// Buckets: the number's place between the first and the last border, in 2048 equal steps, says how
// many borders are surely below it; the few borders of the same step are compared. The place is a
// monotone function of the number even in floating point, so the count is exact.
//
// Halving: a binary search, where one step holds too many borders or there are few rows.
template <class Number>
struct SearchTable {
  std::vector<Number> borders;             // padded with NaN, which nothing is above
  std::size_t first_step;                  // of the binary search: half the padded size
  std::vector<std::uint8_t> surely_below;  // [n_buckets], empty: search by halving
  std::size_t n_probes = 0;                // borders to compare at most
  Number first = 0, scale = 0;

  std::int32_t bucket(Number value) const { return bucket_of(value, first, scale); }
};

template <class Number>
void fill_buckets(SearchTable<Number>& table, std::size_t n) {
  table.first = table.borders[0];
  table.scale = Number(n_buckets) / (table.borders[n - 1] - table.first);
  if (!std::isfinite(table.first) || !std::isfinite(table.scale)) return;
  std::vector<std::size_t> counts(n_buckets, 0);
  for (std::size_t i = 0; i < n; ++i) ++counts[std::size_t(table.bucket(table.borders[i]))];
  table.n_probes = *std::max_element(counts.begin(), counts.end());
  if (table.n_probes > most_probes) return;
  table.surely_below.resize(n_buckets);
  std::size_t below = 0;
  for (std::size_t b = 0; b < n_buckets; ++b) {
    table.surely_below[b] = std::uint8_t(below);
    below += counts[b];
  }
}

template <class Number>
SearchTable<Number> make_table(const double* borders, std::size_t n, bool with_buckets) {
  std::size_t size = 1;
  while (size < n + 1) size *= 2;
  SearchTable<Number> table;
  table.borders.assign(size + most_probes, std::numeric_limits<Number>::quiet_NaN());
  table.first_step = size / 2;
  for (std::size_t i = 0; i < n; ++i) table.borders[i] = round_down(borders[i], Number());
  if (with_buckets && n > 1) fill_buckets(table, n);
  return table;
}

OCELOT_HOT void find_buckets(const float* values, float first, float scale, std::size_t count,
                             std::int32_t* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = bucket_of(values[i], first, scale);
}
OCELOT_HOT void find_buckets(const double* values, double first, double scale, std::size_t count,
                             std::int32_t* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = bucket_of(values[i], first, scale);
}

template <std::size_t n_probes, class Number>
void search_buckets(const SearchTable<Number>& table, const Number* values, std::size_t count,
                    std::uint32_t* positions) {
  std::int32_t buckets[block_size];
  find_buckets(values, table.first, table.scale, count, buckets);
  const std::uint8_t* surely_below = table.surely_below.data();
  const Number* borders = table.borders.data();
  for (std::size_t i = 0; i < count; ++i) {
    const Number value = values[i];
    const std::size_t below = surely_below[buckets[i]];
    std::uint32_t position = std::uint32_t(below);
    for (std::size_t p = 0; p < n_probes; ++p) position += value > borders[below + p] ? 1u : 0u;
    positions[i] = position;
  }
}

template <class Number>
void search_halving(const SearchTable<Number>& table, const Number* values, std::size_t count,
                    std::uint32_t* positions) {
  for (std::size_t i = 0; i < count; ++i) positions[i] = 0;
  for (std::size_t step = table.first_step; step > 0; step /= 2) {
    const Number* shifted = table.borders.data() + step - 1;
    for (std::size_t i = 0; i < count; ++i) {
      positions[i] += values[i] > shifted[positions[i]] ? std::uint32_t(step) : 0u;
    }
  }
}

// positions[i] = number of borders below values[i]. NaN is above none.
template <class Number>
void search(const SearchTable<Number>& table, const Number* values, std::size_t count,
            std::uint32_t* positions) {
  if (table.surely_below.empty()) return search_halving(table, values, count, positions);
  switch (table.n_probes) {
    case 1: return search_buckets<1>(table, values, count, positions);
    case 2: return search_buckets<2>(table, values, count, positions);
    default: return search_buckets<most_probes>(table, values, count, positions);
  }
}

struct BinRule {
  std::uint32_t first_bin, missing_bin, shift;
};

BinRule bin_rule(const QuantizedColumns& columns, std::size_t c) {
  const Missing missing = Missing(columns.missing[c]);
  const std::uint32_t n_borders = columns.border_offsets[c + 1] - columns.border_offsets[c];
  BinRule rule{missing == Missing::own_low ? 1u : 0u, 0u, columns.shifts[c]};
  if (missing == Missing::high) rule.missing_bin = n_borders;
  if (missing == Missing::own_high) rule.missing_bin = n_borders + 1;
  return rule;
}

template <class Number>
OCELOT_INLINE void write_bins_of(const Number* values, const std::uint32_t* positions,
                                 std::size_t count, BinRule rule, std::uint8_t* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t number_bin = positions[i] + rule.first_bin;
    const std::uint32_t bin = values[i] != values[i] ? rule.missing_bin : number_bin;
    out[i] = std::uint8_t(out[i] | (bin << rule.shift));
  }
}

// Only a plain function can be compiled for several CPU levels.
OCELOT_HOT void write_bins(const float* values, const std::uint32_t* positions, std::size_t count,
                           BinRule rule, std::uint8_t* out) {
  write_bins_of(values, positions, count, rule, out);
}
OCELOT_HOT void write_bins(const double* values, const std::uint32_t* positions, std::size_t count,
                           BinRule rule, std::uint8_t* out) {
  write_bins_of(values, positions, count, rule, out);
}

// All columns of at most block_size rows. Values are copied a few columns at a time: in a row-major
// table those share a cache line.
template <class Number>
void quantize_block(const Values<Number>& values, const QuantizedColumns& columns,
                    const std::vector<SearchTable<Number>>& tables,
                    const std::vector<BinRule>& rules, std::size_t first, std::size_t count,
                    std::uint8_t* out) {
  constexpr std::size_t width = 8;
  Number block[width][block_size];
  std::uint32_t positions[block_size];
  for (std::size_t c = 0; c < columns.n_columns; c += width) {
    const std::size_t n = std::min(width, columns.n_columns - c);
    std::ptrdiff_t offsets[width];
    for (std::size_t k = 0; k < n; ++k) {
      offsets[k] = std::ptrdiff_t(columns.sources[c + k]) * values.column_stride;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const Number* row = values.data + std::ptrdiff_t(first + i) * values.row_stride;
      for (std::size_t k = 0; k < n; ++k) block[k][i] = row[offsets[k]];
    }
    for (std::size_t k = 0; k < n; ++k) {
      search(tables[c + k], block[k], count, positions);
      write_bins(block[k], positions, count, rules[c + k],
                 out + columns.out_rows[c + k] * values.n_rows + first);
    }
  }
}

// For a few rows, building the tables would cost more than the search.
template <class Number>
void quantize_few(const Values<Number>& values, const QuantizedColumns& columns,
                  std::uint8_t* out) {
  for (std::size_t c = 0; c < columns.n_columns; ++c) {
    const BinRule rule = bin_rule(columns, c);
    const double* begin = columns.borders + columns.border_offsets[c];
    const double* end = columns.borders + columns.border_offsets[c + 1];
    std::uint8_t* row_of_out = out + columns.out_rows[c] * values.n_rows;
    for (std::size_t row = 0; row < values.n_rows; ++row) {
      const double value = values.at(row, columns.sources[c]);
      const std::uint32_t below = std::uint32_t(std::lower_bound(begin, end, value) - begin);
      const std::uint32_t bin = value != value ? rule.missing_bin : below + rule.first_bin;
      row_of_out[row] |= std::uint8_t(bin << rule.shift);
    }
  }
}

}  // namespace

template <class Number>
void quantize(const Values<Number>& values, const QuantizedColumns& columns, std::uint8_t* out,
              int n_threads) {
  if (values.n_rows < 32) {
    quantize_few(values, columns, out);
    return;
  }
  std::vector<SearchTable<Number>> tables;
  tables.reserve(columns.n_columns);
  for (std::size_t c = 0; c < columns.n_columns; ++c) {
    const std::uint32_t begin = columns.border_offsets[c];
    tables.push_back(make_table<Number>(columns.borders + begin,
                                        columns.border_offsets[c + 1] - begin,
                                        values.n_rows >= rows_worth_buckets));
  }
  std::vector<BinRule> rules;
  for (std::size_t c = 0; c < columns.n_columns; ++c) rules.push_back(bin_rule(columns, c));
  parallel_blocks(values.n_rows, block_size, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    quantize_block(values, columns, tables, rules, begin, end - begin, out);
                  });
}

template <class Number>
void count_missing(const Values<Number>& values, std::uint64_t* out_counts, int n_threads) {
  const std::size_t n_columns = values.n_columns;
  const auto totals = std::make_unique<std::atomic<std::uint64_t>[]>(n_columns);
  parallel_blocks(values.n_rows, rows_per_task, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    for (std::size_t c = 0; c < n_columns; ++c) {
                      std::uint64_t count = 0;
                      for (std::size_t row = begin; row < end; ++row) {
                        const Number value = values.at(row, c);
                        count += value != value;
                      }
                      if (count) totals[c].fetch_add(count, std::memory_order_relaxed);
                    }
                  });
  for (std::size_t c = 0; c < n_columns; ++c) out_counts[c] = totals[c].load();
}

template void quantize(const Values<float>&, const QuantizedColumns&, std::uint8_t*, int);
template void quantize(const Values<double>&, const QuantizedColumns&, std::uint8_t*, int);
template void count_missing(const Values<float>&, std::uint64_t*, int);
template void count_missing(const Values<double>&, std::uint64_t*, int);

}  // namespace ocelot
