#include "partition.h"

#include <algorithm>
#include <vector>

#include "pool.h"

namespace ocelot {
namespace {

constexpr std::size_t rows_per_piece = 16384;

struct Piece {
  std::uint32_t leaf, begin, end;
  std::uint32_t n_right = 0;
  std::uint32_t left_target = 0, right_target = 0;
};

}  // namespace

void split_leaves(const std::uint8_t* bins, const ColumnPlace& place, std::uint8_t bin,
                  const std::uint32_t* rows, const std::uint32_t* leaf_offsets,
                  std::size_t n_leaves, std::uint32_t* out_rows, std::uint32_t* out_offsets,
                  int n_threads) {
  std::vector<Piece> pieces;
  for (std::uint32_t leaf = 0; leaf < n_leaves; ++leaf) {
    for (std::uint32_t begin = leaf_offsets[leaf]; begin < leaf_offsets[leaf + 1];
         begin += rows_per_piece) {
      const auto end = std::min<std::size_t>(begin + rows_per_piece, leaf_offsets[leaf + 1]);
      pieces.push_back({leaf, begin, std::uint32_t(end)});
    }
  }
  const auto goes_right = [&](std::uint32_t row) -> std::uint32_t {
    return ((bins[place.base + row * place.stride] >> place.shift) & place.mask) > bin;
  };
  std::vector<std::uint8_t> right(leaf_offsets[n_leaves] - leaf_offsets[0]);
  std::uint8_t* const sides = right.data() - leaf_offsets[0];
  // Few rows are quicker done than handed over.
  const int threads = right.size() < 4096 ? 1 : n_threads;
  parallel_for(pieces.size(), threads, [&](std::size_t p) {
    Piece& piece = pieces[p];
    std::uint32_t n_right = 0;
    for (std::uint32_t i = piece.begin; i < piece.end; ++i) {
      const std::uint32_t side = goes_right(rows[i]);
      sides[i] = std::uint8_t(side);
      n_right += side;
    }
    piece.n_right = n_right;
  });

  std::vector<std::uint32_t> right_of_leaf(n_leaves, 0);
  for (const Piece& piece : pieces) right_of_leaf[piece.leaf] += piece.n_right;
  for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
    out_offsets[2 * leaf] = leaf_offsets[leaf];
    out_offsets[2 * leaf + 1] = leaf_offsets[leaf + 1] - right_of_leaf[leaf];
  }
  out_offsets[2 * n_leaves] = leaf_offsets[n_leaves];
  std::uint32_t left = 0, right_next = 0, current = 0xffffffff;
  for (Piece& piece : pieces) {
    if (piece.leaf != current) {
      current = piece.leaf;
      left = out_offsets[2 * current];
      right_next = out_offsets[2 * current + 1];
    }
    piece.left_target = left;
    piece.right_target = right_next;
    left += piece.end - piece.begin - piece.n_right;
    right_next += piece.n_right;
  }

  parallel_for(pieces.size(), threads, [&](std::size_t p) {
    const Piece& piece = pieces[p];
    // The side indexes the target, so there is no branch to mispredict.
    std::uint32_t targets[2] = {piece.left_target, piece.right_target};
    for (std::uint32_t i = piece.begin; i < piece.end; ++i) {
      out_rows[targets[sides[i]]++] = rows[i];
    }
  });
}

void assign_leaves(const std::uint8_t* bins, const ColumnPlace* places,
                   const std::uint8_t* split_bins, std::size_t depth, std::size_t n_rows,
                   std::uint32_t* out_leaves, int n_threads) {
  parallel_blocks(n_rows, 4096, n_threads, [&](std::size_t begin, std::size_t end, std::size_t) {
    std::fill(out_leaves + begin, out_leaves + end, 0u);
    for (std::size_t d = 0; d < depth; ++d) {
      const ColumnPlace place = places[d];
      const std::uint8_t bin = split_bins[d];
      const std::uint8_t* column = bins + place.base;
      for (std::size_t row = begin; row < end; ++row) {
        const std::uint32_t value = (column[row * place.stride] >> place.shift) & place.mask;
        out_leaves[row] = out_leaves[row] * 2 + (value > bin);
      }
    }
  });
}

void rows_by_leaf(const std::uint32_t* leaves, std::size_t n_rows, std::size_t n_leaves,
                  std::uint32_t* out_rows, std::uint32_t* out_offsets, int n_threads) {
  const std::size_t n_blocks = (n_rows + rows_per_piece - 1) / rows_per_piece;
  std::vector<std::uint32_t> next(n_blocks * n_leaves, 0);
  parallel_blocks(n_rows, rows_per_piece, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t block) {
                    std::uint32_t* counts = next.data() + block * n_leaves;
                    for (std::size_t row = begin; row < end; ++row) ++counts[leaves[row]];
                  });
  std::uint32_t position = 0;
  for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
    out_offsets[leaf] = position;
    for (std::size_t block = 0; block < n_blocks; ++block) {
      const std::uint32_t count = next[block * n_leaves + leaf];
      next[block * n_leaves + leaf] = position;
      position += count;
    }
  }
  out_offsets[n_leaves] = position;
  parallel_blocks(n_rows, rows_per_piece, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t block) {
                    std::uint32_t* target = next.data() + block * n_leaves;
                    for (std::size_t row = begin; row < end; ++row) {
                      out_rows[target[leaves[row]]++] = std::uint32_t(row);
                    }
                  });
}

}  // namespace ocelot
