// Leaves cut into pieces of bounded length. The cut depends on the leaves alone, and piece sums are
// added in order, so the result is the same for any number of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "pool.h"

namespace ocelot {

struct LeafPiece {
  std::uint32_t leaf, begin, end;
};

inline std::vector<LeafPiece> cut_leaves(const std::uint32_t* leaf_offsets, std::size_t n_leaves,
                                         std::size_t piece_size = 4096) {
  std::vector<LeafPiece> pieces;
  for (std::uint32_t leaf = 0; leaf < n_leaves; ++leaf) {
    for (std::size_t begin = leaf_offsets[leaf]; begin < leaf_offsets[leaf + 1];
         begin += piece_size) {
      const std::size_t end = std::min<std::size_t>(begin + piece_size, leaf_offsets[leaf + 1]);
      pieces.push_back({leaf, std::uint32_t(begin), std::uint32_t(end)});
    }
  }
  return pieces;
}

// Fills out[leaf][0 .. width) with the sums of body(piece, sums[width]) over the leaf's pieces.
template <class Body>
void sum_leaves(const std::uint32_t* leaf_offsets, std::size_t n_leaves, std::size_t width,
                double* out, int n_threads, Body&& body) {
  const std::vector<LeafPiece> pieces = cut_leaves(leaf_offsets, n_leaves);
  std::vector<double> partial(pieces.size() * width, 0.0);
  const std::size_t n_rows = leaf_offsets[n_leaves] - leaf_offsets[0];
  parallel_for(pieces.size(), n_rows < 2048 ? 1 : n_threads,
               [&](std::size_t p) { body(pieces[p], partial.data() + p * width); });
  std::fill(out, out + n_leaves * width, 0.0);
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    for (std::size_t i = 0; i < width; ++i) out[pieces[p].leaf * width + i] += partial[p * width + i];
  }
}

}  // namespace ocelot
