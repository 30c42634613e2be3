// Numbers -> bins.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ocelot {

// A table of numbers with any strides (in elements).
template <class Number>
struct Values {
  const Number* data;
  std::size_t n_rows, n_columns;
  std::ptrdiff_t row_stride, column_stride;

  Number at(std::size_t row, std::size_t column) const {
    return data[std::ptrdiff_t(row) * row_stride + std::ptrdiff_t(column) * column_stride];
  }
};

// What a missing value becomes.
enum class Missing : std::uint8_t {
  low = 0,       // the lowest bin, shared with the smallest numbers
  high = 1,      // the highest bin, shared with the largest numbers
  own_low = 2,   // bin 0; numbers begin at bin 1
  own_high = 3,  // one bin above all numbers
};

// Bin of a number: how many borders are below it, plus 1 under own_low. The bin of column c, made
// from column sources[c] of the values, goes into row out_rows[c] of out [..][n_rows], shifted left
// by shifts[c]; other bits of the byte stay.
struct QuantizedColumns {
  std::size_t n_columns;
  const std::uint32_t* sources;         // [n_columns]
  const double* borders;                // ascending, column after column
  const std::uint32_t* border_offsets;  // [n_columns + 1]
  const std::uint8_t* missing;          // [n_columns] of Missing
  const std::uint32_t* out_rows;        // [n_columns]
  const std::uint32_t* shifts;          // [n_columns]
};

template <class Number>
void quantize(const Values<Number>& values, const QuantizedColumns& columns, std::uint8_t* out,
              int n_threads);

template <class Number>
void count_missing(const Values<Number>& values, std::uint64_t* out_counts, int n_threads);

}  // namespace ocelot
