// Histograms of fixed-point gradient and weight sums.
#pragma once

#include "quantize/block.h"

namespace ocelot {

// Rows are stored sorted by leaf; segment s is rows[begin[s] .. end[s]) and is summed into
// histogram number target[s]. Histograms are laid out
//   [n_chunks][n_histograms][n_slots][256][words]      packed sums: [n_chunks][n_rows][words]
// with words 1, 2 or 4 a bin in each chunk. Targets are overwritten.
void accumulate_histograms(const Block& block, const std::uint32_t* rows,
                           const std::int64_t* packed, std::size_t n_chunks, std::size_t words,
                           std::size_t n_packed_rows, const std::uint32_t* begin,
                           const std::uint32_t* end, const std::uint32_t* target,
                           std::size_t n_segments, std::size_t n_histograms, std::size_t n_slots,
                           std::int64_t* histograms, int n_threads);

}  // namespace ocelot
