#include "order/whole_data.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace ocelot {

void total_by_value(const std::uint32_t* codes, const RowAddends& addends, const RowList& rows,
                    const ValueTotals& out) {
  const std::size_t n_fields = addends.n_targets() + 1;
  std::fill_n(out.totals, out.n_values * n_fields, 0);
  std::fill_n(out.rows, out.n_values, 0);
  for (std::size_t i = 0; i < rows.count; ++i) {
    const std::size_t row = rows[i], value = codes[row];
    addends.add(out.totals + value * n_fields, row);
    out.rows[value] = std::uint32_t(row);
  }
}

void order_keys(std::span<const std::uint64_t> keys, std::uint32_t* out_order) {
  const std::size_t count = keys.size();
  struct Entry {
    std::uint64_t key;
    std::uint32_t place;
  };
  const int bits = std::max(int(std::bit_width(count)) - 2, 1);  // about four keys per bucket
  const auto bucket_of = [&](std::size_t i) { return keys[i] >> (64 - bits); };
  std::vector<std::uint32_t> ends((std::size_t{1} << bits) + 1, 0);
  for (std::size_t i = 0; i < count; ++i) ++ends[bucket_of(i) + 1];
  for (std::size_t b = 1; b < ends.size(); ++b) ends[b] += ends[b - 1];
  std::vector<Entry> sorted(count);
  std::vector<std::uint32_t> next(ends.begin(), ends.end() - 1);
  for (std::size_t i = 0; i < count; ++i) {
    sorted[next[bucket_of(i)]++] = {keys[i], std::uint32_t(i)};
  }
  for (std::size_t b = 0; b + 1 < ends.size(); ++b) {
    if (ends[b + 1] - ends[b] < 2) continue;
    std::sort(sorted.begin() + ends[b], sorted.begin() + ends[b + 1],
              [](const Entry& a, const Entry& b) {
                return a.key != b.key ? a.key < b.key : a.place < b.place;
              });
  }
  for (std::size_t i = 0; i < count; ++i) out_order[i] = sorted[i].place;
}

}  // namespace ocelot
