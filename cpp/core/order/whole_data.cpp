#include "order/whole_data.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace ocelot {

void total_by_value(const std::uint32_t* codes, const float* targets, std::size_t n_targets,
                    std::size_t n_all_rows, const float* weights, const std::uint32_t* rows,
                    std::size_t n_rows, std::size_t n_values, double* out_counts, double* out_sums,
                    std::uint32_t* out_rows) {
  std::fill_n(out_counts, n_values, 0.0);
  std::fill_n(out_sums, n_values * n_targets, 0.0);
  std::fill_n(out_rows, n_values, 0);
  for (std::size_t i = 0; i < n_rows; ++i) {
    const std::size_t row = rows ? rows[i] : i, value = codes[row];
    const double weight = weights ? weights[row] : 1.0;
    out_counts[value] += weight;
    out_rows[value] = std::uint32_t(row);
    for (std::size_t t = 0; t < n_targets; ++t) {
      out_sums[value * n_targets + t] += weight * targets[t * n_all_rows + row];
    }
  }
}

void order_keys(const std::uint64_t* keys, std::size_t count, std::uint32_t* out_order) {
  struct Entry {
    std::uint64_t key;
    std::uint32_t place;
  };
  const int bits = std::max(int(std::bit_width(count)) - 2, 1);  // four keys a bucket or so
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
