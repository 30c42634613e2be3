#include <algorithm>
#include <vector>

#include "derivatives.h"
#include "sum_by_leaf.h"
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

// One row's part of a leaf: minus its expected gradient, and the upper half of its hessian
// p_k (1[j = k] - p_j).
OCELOT_HOT void add_row(const double* __restrict p, std::size_t n_outputs, double weight,
                        double* __restrict leaf) {
  for (std::size_t k = 0; k < n_outputs; ++k) {
    const double weighted = weight * p[k];
    leaf[k] -= weighted;
    double* hessian = leaf + n_outputs * (1 + k);
    hessian[k] += weighted;
    for (std::size_t j = k; j < n_outputs; ++j) hessian[j] -= weighted * p[j];
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
                       std::size_t n_outputs, std::size_t n_rows, const std::uint32_t* leaves,
                       std::size_t n_leaves, const double* leaf_steps, double* out,
                       int n_threads) {
  const std::size_t width = n_outputs + n_outputs * n_outputs + 2;
  sum_by_leaf(
      n_rows, n_leaves * width, out, n_threads,
      [&](std::size_t begin, std::size_t end, double* sums) {
        std::vector<double> values(n_outputs * block_size), row(n_outputs);
        double log_sums[block_size], own[block_size];
        for (std::size_t first = begin; first < end; first += block_size) {
          const std::size_t count = std::min(block_size, end - first);
          for (std::size_t k = 0; k < n_outputs; ++k) {
            const double* output = raw + k * n_rows + first;
            double* value = values.data() + k * block_size;
            for (std::size_t i = 0; i < count; ++i) {
              value[i] = output[i] + leaf_steps[leaves[first + i] * n_outputs + k];
            }
          }
          for (std::size_t i = 0; i < count; ++i) {
            own[i] = values[std::size_t(targets[first + i]) * block_size + i];
          }
          softmax_block(values.data(), n_outputs, count, log_sums);
          for (std::size_t i = 0; i < count; ++i) {
            const double weight = weights ? weights[first + i] : 1.0f;
            double* leaf = sums + leaves[first + i] * width;
            for (std::size_t k = 0; k < n_outputs; ++k) row[k] = values[k * block_size + i];
            add_row(row.data(), n_outputs, weight, leaf);
            leaf[std::size_t(targets[first + i])] += weight;
            leaf[width - 2] += weight * (log_sums[i] - own[i]);
            leaf[width - 1] += weight;
          }
        }
      });
  for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
    double* hessian = out + leaf * width + n_outputs;
    for (std::size_t k = 0; k < n_outputs; ++k) {
      for (std::size_t j = 0; j < k; ++j) {
        hessian[k * n_outputs + j] = hessian[j * n_outputs + k];
      }
    }
  }
}

}  // namespace ocelot
