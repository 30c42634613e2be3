#include <algorithm>
#include <vector>

#include "derivatives.h"
#include "leaf_pieces.h"
#include "pool.h"

namespace ocelot {
namespace {

constexpr std::size_t block_size = 128;
constexpr std::size_t rows_per_task = 4096;

// Turns raw predictions [n_outputs][count] into probabilities in place, and writes each row's log of the
// sum of exponentials. Rows are the inner loop: vector instructions work on several rows at once.
OCELOT_HOT void softmax_block(double* values, std::size_t n_outputs, std::size_t count,
                              double* log_sums) {
  double highest[block_size], sums[block_size];
  for (std::size_t i = 0; i < count; ++i) highest[i] = values[i];
  for (std::size_t k = 1; k < n_outputs; ++k) {
    const double* output = values + k * block_size;
    for (std::size_t i = 0; i < count; ++i) {
      highest[i] = output[i] > highest[i] ? output[i] : highest[i];
    }
  }
  for (std::size_t i = 0; i < count; ++i) sums[i] = 0;
  for (std::size_t k = 0; k < n_outputs; ++k) {
    double* output = values + k * block_size;
    for (std::size_t i = 0; i < count; ++i) {
      output[i] = vector_exp(output[i] - highest[i]);
      sums[i] += output[i];
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    log_sums[i] = highest[i] + vector_log(sums[i]);
    sums[i] = 1.0 / sums[i];
  }
  for (std::size_t k = 0; k < n_outputs; ++k) {
    double* output = values + k * block_size;
    for (std::size_t i = 0; i < count; ++i) output[i] *= sums[i];
  }
}

// hessian[j] += sum over rows of weighted[i] * (j == k ? 1 - p_j : -p_j), for j >= k
OCELOT_HOT void add_hessian_row(const double* probabilities, const double* weighted,
                                std::size_t k, std::size_t n_outputs, std::size_t count,
                                double* hessian) {
  for (std::size_t j = k; j < n_outputs; ++j) {
    const double* other = probabilities + j * block_size;
    const double one = j == k ? 1.0 : 0.0;
    double lanes[8] = {};
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
      for (std::size_t l = 0; l < 8; ++l) lanes[l] += weighted[i + l] * (one - other[i + l]);
    }
    double sum = 0;
    for (; i < count; ++i) sum += weighted[i] * (one - other[i]);
    for (const double lane : lanes) sum += lane;
    hessian[j] += sum;
  }
}

}  // namespace

double softmax_gradients(const float* targets, const float* weights, const double* raw,
                         std::size_t n_outputs, std::size_t n_rows, float* out_gradients,
                         int n_threads) {
  std::vector<double> losses((n_rows + rows_per_task - 1) / rows_per_task, 0.0);
  parallel_blocks(
      n_rows, rows_per_task, n_threads, [&](std::size_t begin, std::size_t end, std::size_t task) {
        std::vector<double> values(n_outputs * block_size);
        double log_sums[block_size];
        for (std::size_t first = begin; first < end; first += block_size) {
          const std::size_t count = std::min(block_size, end - first);
          for (std::size_t k = 0; k < n_outputs; ++k) {
            std::copy_n(raw + k * n_rows + first, count, values.data() + k * block_size);
          }
          softmax_block(values.data(), n_outputs, count, log_sums);
          for (std::size_t k = 0; k < n_outputs; ++k) {
            const double* probability = values.data() + k * block_size;
            float* out = out_gradients + k * n_rows + first;
            const float label = float(k);
            for (std::size_t i = 0; i < count; ++i) {
              out[i] = float((targets[first + i] == label ? 1.0 : 0.0) - probability[i]);
            }
          }
          for (std::size_t i = 0; i < count; ++i) {
            const std::size_t row = first + i;
            const double own = raw[std::size_t(targets[row]) * n_rows + row];
            losses[task] += (weights ? weights[row] : 1.0f) * (log_sums[i] - own);
          }
        }
      });
  double sum = 0;
  for (const double loss : losses) sum += loss;
  return sum;
}

void softmax_leaf_sums(const float* targets, const float* weights, const double* raw,
                       std::size_t n_outputs, std::size_t n_rows, const std::uint32_t* rows,
                       const std::uint32_t* leaf_offsets, std::size_t n_leaves,
                       const double* leaf_steps, const LeafSums& out, int n_threads) {
  const std::size_t width = n_outputs + n_outputs * n_outputs + 1;
  std::vector<double> sums(n_leaves * width);
  sum_leaves(
      leaf_offsets, n_leaves, width, sums.data(), n_threads,
      [&](const LeafPiece& piece, double* partial) {
        std::vector<double> values(n_outputs * block_size);
        double log_sums[block_size], weight[block_size], own[block_size], weighted[block_size];
        const double* step = leaf_steps + piece.leaf * n_outputs;
        for (std::size_t first = piece.begin; first < piece.end; first += block_size) {
          const std::size_t count = std::min<std::size_t>(block_size, piece.end - first);
          for (std::size_t i = 0; i < count; ++i) weight[i] = weights ? weights[rows[first + i]] : 1.0f;
          for (std::size_t k = 0; k < n_outputs; ++k) {
            const double* output = raw + k * n_rows;
            double* value = values.data() + k * block_size;
            for (std::size_t i = 0; i < count; ++i) value[i] = output[rows[first + i]] + step[k];
          }
          for (std::size_t i = 0; i < count; ++i) {
            own[i] = values[std::size_t(targets[rows[first + i]]) * block_size + i];
          }
          softmax_block(values.data(), n_outputs, count, log_sums);
          for (std::size_t i = 0; i < count; ++i) {
            partial[std::size_t(targets[rows[first + i]])] += weight[i];
            partial[width - 1] += weight[i] * (log_sums[i] - own[i]);
          }
          for (std::size_t k = 0; k < n_outputs; ++k) {
            const double* probability = values.data() + k * block_size;
            double expected = 0;
            for (std::size_t i = 0; i < count; ++i) {
              weighted[i] = weight[i] * probability[i];
              expected += weighted[i];
            }
            partial[k] -= expected;
            add_hessian_row(values.data(), weighted, k, n_outputs, count,
                            partial + n_outputs * (1 + k));
          }
        }
      });
  for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
    const double* from = sums.data() + leaf * width;
    std::copy_n(from, n_outputs, out.gradients + leaf * n_outputs);
    double* hessian = out.hessians + leaf * n_outputs * n_outputs;
    for (std::size_t k = 0; k < n_outputs; ++k) {
      for (std::size_t j = k; j < n_outputs; ++j) {
        hessian[k * n_outputs + j] = hessian[j * n_outputs + k] = from[n_outputs * (1 + k) + j];
      }
    }
    out.losses[leaf] = from[width - 1];
  }
}

}  // namespace ocelot
