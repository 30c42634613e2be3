// Tables of the whole training data: what is known of each value of a combination.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ocelot {

// Counts and sums of targets over some rows by value, in the order of the rows, and for each value
// that they have the last of its rows.
//   codes    [n_all_rows]
//   targets  [n_targets][n_all_rows]
//   weights  [n_all_rows] or null
//   rows     [n_rows], or null: all rows
//   out_counts [n_values], out_sums [n_values][n_targets], out_rows [n_values]
void total_by_value(const std::uint32_t* codes, const float* targets, std::size_t n_targets,
                    std::size_t n_all_rows, const float* weights, const std::uint32_t* rows,
                    std::size_t n_rows, std::size_t n_values, double* out_counts, double* out_sums,
                    std::uint32_t* out_rows);

// The places of the keys in ascending order, equal ones in their own. Quick for keys that are
// hashes: their highest bits put them nearly in order.
void order_keys(const std::uint64_t* keys, std::size_t count, std::uint32_t* out_order);

}  // namespace ocelot
