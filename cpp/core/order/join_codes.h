// Categories of combined columns.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ocelot {

// Joins categorical columns: rows that agree in all members of a combination get the same code,
// numbered in the order in which they first occur. Combinations with the same codes in all rows
// have the same fingerprint, others another one: the sum over rows of code * mix64(row + 1).
//   codes          [n_columns][n_rows]  codes[c][row] < value_counts[c]
//   base           [n_rows]             one more member of every combination, below n_base_values;
//                                       null: none
//   member_offsets [n_combinations + 1] where the members of each combination begin
//   members        columns
//   lines          [n_combinations]     where in the outputs each combination stands
void join_codes(const std::uint32_t* codes, const std::uint32_t* value_counts, std::size_t n_rows,
                const std::uint32_t* base, std::uint32_t n_base_values,
                const std::uint32_t* member_offsets, const std::uint32_t* members,
                const std::uint32_t* lines, std::size_t n_combinations, std::uint32_t* out_codes,
                std::uint32_t* out_value_counts, std::uint64_t* out_fingerprints, int n_threads);

}  // namespace ocelot
