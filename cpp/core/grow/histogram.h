// Histograms of fixed-point gradient and weight sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "quantize/block.h"

namespace ocelot {

// Sums of packed words by bin, [n_chunks][n_histograms][n_slots][256][words]. A bin has 1, 2 or 4
// words in each chunk.
struct Histograms {
  static constexpr std::size_t n_bins = 256;

  std::int64_t* sums;
  std::size_t n_chunks, n_histograms, n_slots, words;

  std::size_t slot_size() const { return n_bins * words; }
  std::int64_t* at(std::size_t chunk, std::size_t histogram, std::size_t slot) const {
    return sums + ((chunk * n_histograms + histogram) * n_slots + slot) * slot_size();
  }
};

// What is summed: packed gradients and weights of all rows, [n_chunks][n_rows][words].
struct RowWords {
  const std::int64_t* packed;
  std::size_t n_rows;
};

// Rows are stored sorted by leaf; segment s is rows[begin[s] .. end[s]) and is summed into
// histogram number target[s].
struct Segments {
  std::span<const std::uint32_t> rows, begin, end, target;

  std::size_t count() const { return target.size(); }
  std::size_t size(std::size_t segment) const { return end[segment] - begin[segment]; }
};

// Targets are overwritten.
void accumulate_histograms(const Block& block, const RowWords& sources, const Segments& segments,
                           const Histograms& out, int n_threads);

}  // namespace ocelot
