#include "grow/partition.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "shared/multiversion.h"
#include "shared/pool.h"

namespace ocelot {
namespace {

constexpr std::size_t rows_per_piece = 8192;

struct Piece {
  std::uint32_t leaf, begin, end;
  std::uint32_t n_right = 0;
};

// Writes the rows of a piece that go left to out from the front, the others from the back: the
// last of all comes first.
std::uint32_t split_piece(const Question question, const std::uint32_t* rows, std::uint32_t n_rows,
                          std::uint32_t* out) {
  constexpr std::uint32_t distance = 32;
  std::uint32_t *left = out, *right = out + n_rows - 1;
  // Both places are written and one advances: there is no branch to mispredict.
  const auto put = [&](std::uint32_t row) {
    const std::uint32_t side = question(row);
    *left = *right = row;
    left += 1 - side;
    right -= side;
  };
  std::uint32_t i = 0;
  for (; i + distance < n_rows; ++i) {
    __builtin_prefetch(question.bytes + rows[i + distance] * question.stride);
    put(rows[i]);
  }
  for (; i < n_rows; ++i) put(rows[i]);
  return std::uint32_t(out + n_rows - left);
}

constexpr std::size_t answers_size = 1024;

// Appends the answer of one question to the leaf numbers. Of `step` bytes per row, Value are
// those that are read, and the first is looked at: as many as a leaf number has, where there are as
// many.
template <class Value>
OCELOT_INLINE void answer_each(const Question& question, std::size_t step, std::size_t first,
                               std::size_t count, std::uint16_t* __restrict leaves) {
  const std::uint8_t* const bytes = question.bytes + first * step;
  const std::uint32_t shift = question.shift, mask = question.mask;
  const std::uint8_t low = question.low, bin = question.bin;
  for (std::size_t i = 0; i < count; ++i) {
    Value value;
    std::memcpy(&value, bytes + i * step, sizeof value);
    value = Value(std::uint8_t(((std::uint8_t(value) >> shift) & mask) - low));
    leaves[i] = std::uint16_t(leaves[i] + leaves[i] + (value > bin ? 1 : 0));
  }
}

// Rows first .. first + count.
OCELOT_HOT void answer(const Question& question, std::size_t first, std::size_t count,
                       std::uint16_t* __restrict leaves) {
  const std::size_t stride = question.stride;
  if (stride == 1) {
    answer_each<std::uint8_t>(question, 1, first, count, leaves);
    return;
  }
  std::size_t done = 0;
  if (stride == 2 && std::endian::native == std::endian::little && count > 0) {
    done = count - 1;  // after the last row there may be no further byte
    answer_each<std::uint16_t>(question, 2, first, done, leaves);
  }
  answer_each<std::uint8_t>(question, stride, first + done, count - done, leaves + done);
}

}  // namespace

void split_leaves(const Question& question, std::span<const std::uint32_t> leaf_offsets,
                  std::uint32_t* rows, std::uint32_t* scratch, std::uint32_t* out_offsets,
                  int n_threads) {
  const std::size_t n_leaves = leaf_offsets.size() - 1;
  std::vector<Piece> pieces;
  for (std::uint32_t leaf = 0; leaf < n_leaves; ++leaf) {
    for (std::uint32_t begin = leaf_offsets[leaf]; begin < leaf_offsets[leaf + 1];
         begin += rows_per_piece) {
      const auto end = std::min<std::size_t>(begin + rows_per_piece, leaf_offsets[leaf + 1]);
      pieces.push_back({leaf, begin, std::uint32_t(end)});
    }
  }
  // Few rows are quicker done than handed over.
  const std::size_t n_rows = leaf_offsets[n_leaves] - leaf_offsets[0];
  const int threads = n_rows < 4096 ? 1 : n_threads;
  parallel_for(pieces.size(), threads, [&](std::size_t p) {
    Piece& piece = pieces[p];
    piece.n_right =
        split_piece(question, rows + piece.begin, piece.end - piece.begin, scratch + piece.begin);
  });

  std::vector<std::uint32_t> n_right(n_leaves, 0);
  for (const Piece& piece : pieces) n_right[piece.leaf] += piece.n_right;
  for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
    out_offsets[2 * leaf] = leaf_offsets[leaf];
    out_offsets[2 * leaf + 1] = leaf_offsets[leaf + 1] - n_right[leaf];
  }
  out_offsets[2 * n_leaves] = leaf_offsets[n_leaves];

  // Where each piece's left and right rows go, leaf by leaf.
  std::vector<std::uint32_t> next(out_offsets, out_offsets + 2 * n_leaves);
  std::vector<std::uint32_t> left_target(pieces.size()), right_target(pieces.size());
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const Piece& piece = pieces[p];
    left_target[p] = next[2 * piece.leaf];
    right_target[p] = next[2 * piece.leaf + 1];
    next[2 * piece.leaf] += piece.end - piece.begin - piece.n_right;
    next[2 * piece.leaf + 1] += piece.n_right;
  }
  parallel_for(pieces.size(), threads, [&](std::size_t p) {
    const Piece& piece = pieces[p];
    const std::uint32_t n_left = piece.end - piece.begin - piece.n_right;
    std::copy_n(scratch + piece.begin, n_left, rows + left_target[p]);
    std::reverse_copy(scratch + piece.begin + n_left, scratch + piece.end, rows + right_target[p]);
  });
}

void assign_leaves(std::span<const Question> questions, std::span<std::uint32_t> inout_leaves,
                   int n_threads) {
  parallel_blocks(inout_leaves.size(), 2 * answers_size, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    for (std::size_t first = begin; first < end; first += answers_size) {
                      const std::size_t count = std::min(answers_size, end - first);
                      std::uint16_t answers[answers_size] = {};
                      for (const Question& question : questions) {
                        answer(question, first, count, answers);
                      }
                      for (std::size_t i = 0; i < count; ++i) {
                        std::uint32_t& leaf = inout_leaves[first + i];
                        leaf = (leaf << questions.size()) + answers[i];
                      }
                    }
                  });
}

void fill_panel(const std::uint8_t* slots, std::size_t n_slots, std::size_t n_rows,
                std::size_t stride, std::uint8_t* panel, int n_threads) {
  parallel_blocks(n_rows, 512, n_threads, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t slot = 0; slot < n_slots; ++slot) {
      const std::uint8_t* column = slots + slot * n_rows;
      for (std::size_t row = begin; row < end; ++row) panel[row * stride + slot] = column[row];
    }
  });
}

void rows_by_leaf(std::span<const std::uint32_t> leaves, std::uint32_t* out_rows,
                  std::span<std::uint32_t> out_offsets, int n_threads) {
  const std::size_t n_rows = leaves.size(), n_leaves = out_offsets.size() - 1;
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
