// Histograms of target statistics, whose columns have 16 bins, two of them in a byte.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ocelot {

// Bytes of target statistics: unit u is [n_rows][n_bytes].
struct StatisticUnits {
  const std::uint8_t* bytes;
  std::size_t n_rows, n_bytes;
};

// A histogram of one unit: for each chunk and byte 16 bins of its low half, then 16 of its high
// half, each of `words` words.
//   histograms [n_places][n_histograms][n_chunks][n_bytes][32][words]
struct StatisticHistograms {
  std::int64_t* sums;
  std::size_t n_histograms, n_chunks, n_bytes, words;

  std::size_t size() const { return n_chunks * n_bytes * 32 * words; }
  std::int64_t* at(std::size_t place, std::size_t histogram) const {
    return sums + (place * n_histograms + histogram) * size();
  }
};

// Rows of a level, leaf after leaf: those of leaf s are rows[begin[s]] .. rows[end[s] - 1] and are
// summed into histogram target[s]. Units that have been summed in the levels before need the fresh
// leaves alone.
struct Leaves {
  const std::uint32_t* begin;
  const std::uint32_t* end;
  const std::uint32_t* target;
  const std::uint8_t* fresh;
  std::size_t count;
};

// For each of n_units units, in places from first_place on, the sums of packed words over the rows
// of the leaves; the first n_old units are summed over fresh leaves.
//   packed   [n_chunks][n_packed_rows][words]
//   scratch  as large as packed
void accumulate_statistics(const StatisticUnits& statistics, const std::uint32_t* units,
                           std::size_t n_units, std::size_t n_old, std::size_t first_place,
                           const std::uint32_t* rows, const std::int64_t* packed,
                           std::size_t n_packed_rows, const Leaves& leaves, std::int64_t* scratch,
                           const StatisticHistograms& histograms, int n_threads);

}  // namespace ocelot
