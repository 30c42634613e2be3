// Tables of the whole training data: what is known of each value of a combination.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "shared/views.h"

namespace ocelot {

// One entry per value.
struct ValueTotals {
  std::span<double> counts;  // [n_values]
  double* sums;              // [n_values][n_targets]
  std::uint32_t* rows;       // [n_values] the last row that has the value
};

// Counts and sums of targets [n_targets][n_all_rows] over some rows by the codes [n_all_rows] of
// their values, in the order of the rows.
void total_by_value(const std::uint32_t* codes, const Matrix<const float>& targets, Weights weights,
                    const RowList& rows, const ValueTotals& out);

// The places of the keys in ascending order; equal keys stay in their own order. Quick for keys
// that are hashes: their highest bits put them nearly in order.
void order_keys(std::span<const std::uint64_t> keys, std::uint32_t* out_order);

}  // namespace ocelot
