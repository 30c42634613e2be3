#include "quantize/bundle.h"

#include <algorithm>
#include <deque>
#include <numeric>
#include <vector>

namespace ocelot {
namespace {

constexpr std::size_t most_bins = 256;
constexpr std::size_t most_open = 64;  // bundles that a column may still join

// Bins in use, and the rows that have one of the columns away from its default bin, as bits.
struct Bundle {
  std::uint32_t number;
  std::size_t n_bins;
  std::vector<std::uint64_t> taken;

  bool has_room(std::span<const std::uint32_t> rows, std::size_t more_bins) const {
    return n_bins + more_bins <= most_bins && std::none_of(rows.begin(), rows.end(), [&](auto row) {
             return taken[row / 64] >> row % 64 & 1;
           });
  }

  void add(std::span<const std::uint32_t> rows, std::size_t more_bins) {
    for (const std::uint32_t row : rows) taken[row / 64] |= std::uint64_t{1} << row % 64;
    n_bins += more_bins;
  }
};

}  // namespace

std::size_t bundle_columns(const SparseRows& sparse, std::span<const std::uint32_t> bin_counts,
                           const Bundles& out) {
  std::vector<std::uint32_t> order(sparse.n_columns());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return sparse.of(a).size() > sparse.of(b).size();
  });
  std::deque<Bundle> open;  // the newest first
  std::uint32_t n_bundles = 0;
  for (const std::uint32_t column : order) {
    const std::span<const std::uint32_t> rows = sparse.of(column);
    auto bundle = std::find_if(open.begin(), open.end(), [&](const Bundle& own) {
      return own.has_room(rows, bin_counts[column]);
    });
    if (bundle == open.end()) {
      if (open.size() == most_open) open.pop_back();
      open.push_front({n_bundles++, 0, std::vector<std::uint64_t>((sparse.n_rows + 63) / 64)});
      bundle = open.begin();
    }
    out.of_column[column] = bundle->number;
    out.firsts[column] = std::uint32_t(bundle->n_bins);
    bundle->add(rows, bin_counts[column]);
    if (bundle->n_bins + 2 > most_bins) open.erase(bundle);
  }
  return n_bundles;
}

}  // namespace ocelot
