#include "predict.h"

#include <algorithm>
#include <vector>

#include "multiversion.h"
#include "pool.h"

namespace ocelot {
namespace {

constexpr std::size_t block_size = 128;

// Leaf numbers of a block of rows, one question after the other; bytes while they suffice.
template <class Leaf>
OCELOT_INLINE void find_leaves(const std::uint8_t* bins, std::size_t n_rows, std::size_t first_row,
                               std::size_t count, const std::uint32_t* columns,
                               const std::uint8_t* split_bins, std::size_t depth, Leaf* leaves) {
  for (std::size_t i = 0; i < block_size; ++i) leaves[i] = 0;
  for (std::size_t d = 0; d < depth; ++d) {
    const std::uint8_t* column = bins + columns[d] * n_rows + first_row;
    const std::uint8_t bin = split_bins[d];
    if (count == block_size) {
      for (std::size_t i = 0; i < block_size; ++i) {
        leaves[i] = Leaf(leaves[i] + leaves[i] + (column[i] > bin ? 1 : 0));
      }
    } else {
      for (std::size_t i = 0; i < count; ++i) {
        leaves[i] = Leaf(leaves[i] + leaves[i] + (column[i] > bin ? 1 : 0));
      }
    }
  }
}

template <class Leaf>
OCELOT_INLINE void add_values(const Leaf* leaves, std::size_t count, const double* values,
                              std::size_t n_outputs, double* sums) {
  if (n_outputs == 1) {
    for (std::size_t i = 0; i < count; ++i) sums[i] += values[leaves[i]];
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double* row = values + std::size_t(leaves[i]) * n_outputs;
    double* sum = sums + i * n_outputs;
    for (std::size_t k = 0; k < n_outputs; ++k) sum[k] += row[k];
  }
}

// sums [count][n_outputs]
OCELOT_HOT void predict_block(const std::uint8_t* bins, std::size_t n_rows, std::size_t first_row,
                              std::size_t count, const TreesOnBins& trees, double* sums) {
  alignas(64) std::uint8_t narrow[block_size];
  alignas(64) std::uint32_t wide[block_size];
  const std::uint32_t* columns = trees.split_columns;
  const std::uint8_t* split_bins = trees.split_bins;
  const double* values = trees.leaf_values;
  for (std::size_t tree = 0; tree < trees.n_trees; ++tree) {
    const std::size_t depth = trees.depths[tree];
    if (depth <= 8) {
      find_leaves(bins, n_rows, first_row, count, columns, split_bins, depth, narrow);
      add_values(narrow, count, values, trees.n_outputs, sums);
    } else {
      find_leaves(bins, n_rows, first_row, count, columns, split_bins, depth, wide);
      add_values(wide, count, values, trees.n_outputs, sums);
    }
    columns += depth;
    split_bins += depth;
    values += (std::size_t{1} << depth) * trees.n_outputs;
  }
}

// Rows are few: one walk a row.
void predict_row(const std::uint8_t* bins, std::size_t n_rows, std::size_t row,
                 const TreesOnBins& trees, double* sums) {
  const std::uint32_t* columns = trees.split_columns;
  const std::uint8_t* split_bins = trees.split_bins;
  const double* values = trees.leaf_values;
  for (std::size_t tree = 0; tree < trees.n_trees; ++tree) {
    const std::size_t depth = trees.depths[tree];
    std::size_t leaf = 0;
    for (std::size_t d = 0; d < depth; ++d) {
      leaf = leaf * 2 + (bins[columns[d] * n_rows + row] > split_bins[d]);
    }
    for (std::size_t k = 0; k < trees.n_outputs; ++k) sums[k] += values[leaf * trees.n_outputs + k];
    columns += depth;
    split_bins += depth;
    values += (std::size_t{1} << depth) * trees.n_outputs;
  }
}

}  // namespace

void predict_trees(const std::uint8_t* bins, std::size_t n_rows, const TreesOnBins& trees,
                   double* raw, int n_threads) {
  parallel_blocks(
      n_rows, block_size, n_threads, [&](std::size_t begin, std::size_t end, std::size_t) {
        const std::size_t count = end - begin, n_outputs = trees.n_outputs;
        std::vector<double> sums(count * n_outputs);
        for (std::size_t i = 0; i < count; ++i) {
          for (std::size_t k = 0; k < n_outputs; ++k) {
            sums[i * n_outputs + k] = raw[k * n_rows + begin + i];
          }
        }
        if (count < 8) {
          for (std::size_t i = 0; i < count; ++i) {
            predict_row(bins, n_rows, begin + i, trees, sums.data() + i * n_outputs);
          }
        } else {
          predict_block(bins, n_rows, begin, count, trees, sums.data());
        }
        for (std::size_t i = 0; i < count; ++i) {
          for (std::size_t k = 0; k < n_outputs; ++k) {
            raw[k * n_rows + begin + i] = sums[i * n_outputs + k];
          }
        }
      });
}

}  // namespace ocelot
