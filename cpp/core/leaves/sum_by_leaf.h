// Sums over the rows of each leaf, the same for any number of threads.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "shared/pool.h"

namespace ocelot {

// Rows whose sums are made together: long enough that adding up the stretches costs little compared
// with the rows.
inline std::size_t stretch_length(std::size_t n_sums) {
  return std::max<std::size_t>(2048, 8 * n_sums);
}

// Fills out with the sum of what body(begin, end, sums) adds for every stretch of rows. Stretches
// depend on the numbers of rows and sums alone, and are added up in order.
template <class Body>
void sum_by_leaf(std::size_t n_rows, std::span<double> out, int n_threads, Body&& body) {
  const std::size_t stretch = stretch_length(out.size());
  const std::size_t n_stretches = (n_rows + stretch - 1) / stretch;
  std::vector<double> partial(n_stretches * out.size(), 0.0);
  parallel_blocks(n_rows, stretch, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t block) {
                    body(begin, end, partial.data() + block * out.size());
                  });
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t s = 0; s < n_stretches; ++s) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += partial[s * out.size() + i];
  }
}

}  // namespace ocelot
