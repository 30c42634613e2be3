// Tables of the whole training data: what is known of each value of a combination.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "order/row_addends.h"
#include "shared/views.h"

namespace ocelot {

// One entry per value.
struct ValueTotals {
  std::int64_t* totals;  // [n_values][n_targets + 1] the count, then the sum of each target
  std::uint32_t* rows;   // [n_values] the last row that has the value
  std::size_t n_values;
};

// Counts and sums of targets over some rows by the codes [n_all_rows] of their values, in units.
void total_by_value(const std::uint32_t* codes, const RowAddends& addends, const RowList& rows,
                    const ValueTotals& out);

// The places of the keys in ascending order; equal keys stay in their own order. Quick for keys
// that are hashes: their highest bits put them nearly in order.
void order_keys(std::span<const std::uint64_t> keys, std::uint32_t* out_order);

}  // namespace ocelot
