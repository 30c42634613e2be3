#include "predict/predict.h"

#include <algorithm>
#include <vector>

#include "shared/multiversion.h"
#include "shared/pool.h"

namespace ocelot {
namespace {

constexpr std::size_t block_size = 128;
constexpr std::size_t trees_at_once = 4;

// Leaf values that stay in a core's cache while several blocks of rows pass by them.
constexpr std::size_t values_at_once = std::size_t{1} << 15;
constexpr std::size_t most_blocks_at_once = 16;

typedef std::uint8_t Bytes __attribute__((vector_size(32), aligned(1), may_alias));

// Trees of depth up to 8, whose leaf numbers are bytes. A whole block stays in four registers.
OCELOT_HOT void find_narrow_leaves(const Matrix<const std::uint8_t>& bins,
                                   const Questions& questions, std::size_t count,
                                   std::uint8_t* leaves) {
  if (count < block_size) {
    answer_in_turn(bins, questions, count, leaves);
    return;
  }
  Bytes a{}, b{}, c{}, e{};
  for (std::size_t d = 0; d < questions.count; ++d) {
    const Bytes* column = reinterpret_cast<const Bytes*>(bins[questions.columns[d]]);
    const Bytes bin = Bytes{} + questions.split_bins[d];
    // A comparison is -1 where it holds.
    a = a + a - Bytes(column[0] > bin);
    b = b + b - Bytes(column[1] > bin);
    c = c + c - Bytes(column[2] > bin);
    e = e + e - Bytes(column[3] > bin);
  }
  Bytes* out = reinterpret_cast<Bytes*>(leaves);
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = e;
}

OCELOT_HOT void find_wide_leaves(const Matrix<const std::uint8_t>& bins, const Questions& questions,
                                 std::size_t count, std::uint32_t* leaves) {
  answer_in_turn(bins, questions, count, leaves);
}

// sums [count][n_outputs]
template <class Leaf>
void add_values(const Leaf* leaves, std::size_t count, const double* values, std::size_t n_outputs,
                double* sums) {
  for (std::size_t i = 0; i < count; ++i) {
    const double* leaf = values + std::size_t(leaves[i]) * n_outputs;
    for (std::size_t k = 0; k < n_outputs; ++k) sums[i * n_outputs + k] += leaf[k];
  }
}

// Four trees of one output. Not compiled for vectors: gathering by plain loads is quicker than by
// vector instructions. The order of the additions is that of one tree after the other.
void add_four_trees(const std::uint8_t (*leaves)[block_size], std::size_t count,
                    const double* const* values, double* sums) {
  for (std::size_t i = 0; i < count; ++i) {
    double sum = sums[i];
    sum += values[0][leaves[0][i]];
    sum += values[1][leaves[1][i]];
    sum += values[2][leaves[2][i]];
    sum += values[3][leaves[3][i]];
    sums[i] = sum;
  }
}

// Calls body(questions, leaf values) for every tree of the forest, in order.
template <class Body>
OCELOT_INLINE void for_each_tree(const TreesOnBins& trees, Body&& body) {
  Questions questions = trees.questions;
  const double* values = trees.leaf_values;
  for (const std::uint32_t depth : trees.depths) {
    questions.count = depth;
    body(questions, values);
    questions.columns += depth;
    questions.split_bins += depth;
    values += (std::size_t{1} << depth) * trees.n_outputs;
  }
}

// bins begin at the block's first row.
void predict_block(const Matrix<const std::uint8_t>& bins, std::size_t count,
                   const TreesOnBins& trees, double* sums) {
  alignas(64) std::uint8_t narrow[trees_at_once][block_size];
  alignas(64) std::uint32_t wide[block_size];
  const double* waiting[trees_at_once];  // leaf values of trees whose leaves are found
  std::size_t n_waiting = 0;
  const auto add_waiting = [&] {
    if (n_waiting == trees_at_once && trees.n_outputs == 1) {
      add_four_trees(narrow, count, waiting, sums);
    } else {
      for (std::size_t t = 0; t < n_waiting; ++t) {
        add_values(narrow[t], count, waiting[t], trees.n_outputs, sums);
      }
    }
    n_waiting = 0;
  };
  for_each_tree(trees, [&](const Questions& questions, const double* values) {
    if (questions.count <= 8) {
      find_narrow_leaves(bins, questions, count, narrow[n_waiting]);
      waiting[n_waiting++] = values;
      if (n_waiting == trees_at_once) add_waiting();
    } else {
      add_waiting();
      find_wide_leaves(bins, questions, count, wide);
      add_values(wide, count, values, trees.n_outputs, sums);
    }
  });
  add_waiting();
}

// One walk per row, for a few rows.
void predict_row(const Matrix<const std::uint8_t>& bins, std::size_t row, const TreesOnBins& trees,
                 double* sums) {
  for_each_tree(trees, [&](const Questions& questions, const double* values) {
    std::size_t leaf = 0;
    for (std::size_t d = 0; d < questions.count; ++d) {
      leaf = leaf * 2 + (bins[questions.columns[d]][row] > questions.split_bins[d]);
    }
    for (std::size_t k = 0; k < trees.n_outputs; ++k) sums[k] += values[leaf * trees.n_outputs + k];
  });
}

// The trees, cut into parts of no more than values_at_once leaf values, or of a single tree. One
// block of rows alone passes by all of them.
std::vector<TreesOnBins> parts_of(const TreesOnBins& trees, std::size_t n_rows) {
  if (n_rows <= block_size) return {trees};
  std::vector<TreesOnBins> parts;
  std::size_t first_question = 0, first_value = 0, n_questions = 0, n_values = 0, begin = 0;
  const auto cut = [&](std::size_t end) {
    if (begin == end) return;
    parts.push_back({trees.questions.from(first_question, n_questions),
                     trees.depths.subspan(begin, end - begin), trees.leaf_values + first_value,
                     trees.n_outputs});
    first_question += n_questions;
    first_value += n_values;
    n_questions = n_values = 0;
    begin = end;
  };
  for (std::size_t t = 0; t < trees.depths.size(); ++t) {
    const std::size_t own = (std::size_t{1} << trees.depths[t]) * trees.n_outputs;
    if (n_values + own > values_at_once) cut(t);
    n_questions += trees.depths[t];
    n_values += own;
  }
  cut(trees.depths.size());
  return parts;
}

// bins and sums [count][n_outputs] begin at the first row. Every block of rows passes by a part of
// the trees before the next part comes. A row's values are added in the order of the trees.
void predict_rows(const Matrix<const std::uint8_t>& bins, std::size_t count,
                  std::span<const TreesOnBins> parts, double* sums) {
  for (const TreesOnBins& part : parts) {
    for (std::size_t first = 0; first < count; first += block_size) {
      const std::size_t n_rows = std::min(block_size, count - first);
      double* const own = sums + first * part.n_outputs;
      if (n_rows < 8) {
        for (std::size_t i = 0; i < n_rows; ++i) {
          predict_row(bins, first + i, part, own + i * part.n_outputs);
        }
      } else {
        predict_block(bins.from(first), n_rows, part, own);
      }
    }
  }
}

// How many rows a thread takes at once: many, where they can share what the cache holds of a large
// forest, but not so many that threads are left without work.
std::size_t rows_per_task(std::size_t n_rows, std::size_t n_parts, int n_threads) {
  if (n_parts <= 1) return block_size;
  const std::size_t n_tasks = std::size_t(std::max(n_threads, 1));
  const std::size_t n_blocks = n_rows / block_size / n_tasks;
  return block_size * std::clamp<std::size_t>(n_blocks, 1, most_blocks_at_once);
}

}  // namespace

void predict_trees(const Matrix<const std::uint8_t>& bins, const TreesOnBins& trees,
                   const Matrix<double>& inout_raw, int n_threads) {
  const std::size_t n_outputs = trees.n_outputs, n_rows = bins.stride;
  const std::vector<TreesOnBins> parts = parts_of(trees, n_rows);
  parallel_blocks(n_rows, rows_per_task(n_rows, parts.size(), n_threads), n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    const std::size_t count = end - begin;
                    const Matrix<double> raw = inout_raw.from(begin);
                    std::vector<double> sums(count * n_outputs);
                    for (std::size_t i = 0; i < count; ++i) {
                      for (std::size_t k = 0; k < n_outputs; ++k)
                        sums[i * n_outputs + k] = raw[k][i];
                    }
                    predict_rows(bins.from(begin), count, parts, sums.data());
                    for (std::size_t i = 0; i < count; ++i) {
                      for (std::size_t k = 0; k < n_outputs; ++k)
                        raw[k][i] = sums[i * n_outputs + k];
                    }
                  });
}

void find_leaves(const Matrix<const std::uint8_t>& bins, const Questions& questions,
                 std::span<const std::uint32_t> depths, const Matrix<std::uint32_t>& out_leaves,
                 int n_threads) {
  parallel_blocks(bins.stride, block_size, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    alignas(64) std::uint8_t narrow[block_size];
                    const Matrix<const std::uint8_t> block = bins.from(begin);
                    const std::size_t count = end - begin;
                    std::size_t first = 0;
                    for (std::size_t t = 0; t < depths.size(); ++t) {
                      const Questions own = questions.from(first, depths[t]);
                      std::uint32_t* const out = out_leaves[t] + begin;
                      if (own.count <= 8) {
                        find_narrow_leaves(block, own, count, narrow);
                        std::copy_n(narrow, count, out);
                      } else {
                        find_wide_leaves(block, own, count, out);
                      }
                      first += own.count;
                    }
                  });
}

}  // namespace ocelot
