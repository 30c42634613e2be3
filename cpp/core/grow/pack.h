// Gradients and weights as integers, two to a 64-bit word.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ocelot {

// The fields of some rows: gradients [n_outputs][n_rows] times weights [n_rows], or null for ones,
// and after them the weights themselves.
struct Fields {
  const float* gradients;
  const float* weights;
  std::size_t n_outputs, n_rows;

  std::size_t n_fields() const { return n_outputs + 1; }
  const float* of(std::size_t field) const {
    return field < n_outputs ? gradients + field * n_rows : nullptr;
  }
};

// Sums of the absolute values of each field: out [n_outputs + 1].
void absolute_sums(const Fields& fields, double* out, int n_threads);

// How fields are rounded: to multiples of a unit, where `dithered` with a shift that depends on the
// row, so that rounding has no bias. `exact`: weights are whole, and are multiplied after rounding,
// so that a row of weight k sums to the same bits as k rows.
struct Rounding {
  bool exact;
  const double* units;           // [n_outputs + 1]
  const std::uint8_t* dithered;  // [n_outputs + 1]
  std::size_t first_place;       // of row 0 among the rows of all shards, which dithers it
};

// Words of rows, [n_chunks][n_rows][words]. Fields 2w and 2w + 1 are the high and the low half of
// word w.
struct PackedRows {
  std::int64_t* data;
  std::size_t n_chunks, n_rows, words;
};

// What comes i-th in the fields goes to row rows[i]; rows null: to row first_row + i.
void pack_gradients(const Fields& fields, const Rounding& rounding, const std::uint32_t* rows,
                    std::size_t first_row, const PackedRows& out, int n_threads);

}  // namespace ocelot
