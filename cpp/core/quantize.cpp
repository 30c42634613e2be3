#include "quantize.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "multiversion.h"
#include "pool.h"

namespace ocelot {
namespace {

constexpr std::size_t rows_per_task = 2048;
constexpr std::size_t block_size = 64;

// The largest Number that is not above the border: value > border exactly when value > result.
float round_down(double border, float) {
  const float nearest = float(border);
  return double(nearest) > border ? std::nextafter(nearest, -std::numeric_limits<float>::infinity())
                                  : nearest;
}
double round_down(double border, double) { return border; }

// Borders padded to a power of two for a search without branches.
template <class Number>
struct SearchTable {
  std::vector<Number> borders;
  std::size_t first_step;  // half the table
};

template <class Number>
SearchTable<Number> make_table(const double* borders, std::size_t n) {
  std::size_t size = 1;
  while (size < n + 1) size *= 2;
  // Nothing is above a NaN border.
  SearchTable<Number> table{
      std::vector<Number>(size, std::numeric_limits<Number>::quiet_NaN()), size / 2};
  for (std::size_t i = 0; i < n; ++i) table.borders[i] = round_down(borders[i], Number());
  return table;
}

// positions[i] = number of borders below values[i]. NaN is above none.
template <class Number>
OCELOT_INLINE void search(const Number* borders, std::size_t first_step, const Number* values,
                          std::size_t count, std::uint32_t* positions) {
  for (std::size_t i = 0; i < count; ++i) positions[i] = 0;
  for (std::size_t step = first_step; step > 0; step /= 2) {
    const Number* shifted = borders + step - 1;
    for (std::size_t i = 0; i < count; ++i) {
      positions[i] += values[i] > shifted[positions[i]] ? std::uint32_t(step) : 0u;
    }
  }
}

OCELOT_HOT void search_block(const float* borders, std::size_t first_step, const float* values,
                             std::size_t count, std::uint32_t* positions) {
  search(borders, first_step, values, count, positions);
}
OCELOT_HOT void search_block(const double* borders, std::size_t first_step, const double* values,
                             std::size_t count, std::uint32_t* positions) {
  search(borders, first_step, values, count, positions);
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
void quantize_rows(const Values<Number>& values, std::size_t column, std::size_t begin,
                   std::size_t end, const SearchTable<Number>& table, const BinRule& rule,
                   std::uint8_t* out) {
  Number block[block_size];
  std::uint32_t bins[block_size];
  for (std::size_t first = begin; first < end; first += block_size) {
    const std::size_t count = std::min(block_size, end - first);
    for (std::size_t i = 0; i < count; ++i) block[i] = values.at(first + i, column);
    search_block(table.borders.data(), table.first_step, block, count, bins);
    for (std::size_t i = 0; i < count; ++i) {
      bins[i] = block[i] != block[i] ? rule.missing_bin : bins[i] + rule.first_bin;
    }
    for (std::size_t i = 0; i < count; ++i) {
      out[first + i] = std::uint8_t(out[first + i] | (bins[i] << rule.shift));
    }
  }
}

// For a few rows the tables would cost more than the search.
template <class Number>
void quantize_few(const Values<Number>& values, const QuantizedColumns& columns,
                  std::uint8_t* out) {
  for (std::size_t c = 0; c < columns.n_columns; ++c) {
    const BinRule rule = bin_rule(columns, c);
    const double* begin = columns.borders + columns.border_offsets[c];
    const double* end = columns.borders + columns.border_offsets[c + 1];
    std::uint8_t* target = out + columns.targets[c] * values.n_rows;
    for (std::size_t row = 0; row < values.n_rows; ++row) {
      const double value = values.at(row, columns.sources[c]);
      const std::uint32_t below = std::uint32_t(std::lower_bound(begin, end, value) - begin);
      const std::uint32_t bin = value != value ? rule.missing_bin : below + rule.first_bin;
      target[row] |= std::uint8_t(bin << rule.shift);
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
    tables.push_back(
        make_table<Number>(columns.borders + begin, columns.border_offsets[c + 1] - begin));
  }
  parallel_blocks(values.n_rows, rows_per_task, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    for (std::size_t c = 0; c < columns.n_columns; ++c) {
                      quantize_rows(values, columns.sources[c], begin, end, tables[c],
                                    bin_rule(columns, c),
                                    out + columns.targets[c] * values.n_rows);
                    }
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
