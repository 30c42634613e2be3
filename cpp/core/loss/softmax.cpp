#include <algorithm>
#include <vector>

#include "leaves/sum_by_leaf.h"
#include "loss/derivatives.h"
#include "loss/softmax_block.h"
#include "shared/pool.h"

namespace ocelot {
namespace {

constexpr std::size_t block_size = softmax_block_size;
constexpr std::size_t rows_per_task = 4096;

// A leaf's sums while they grow, padded so that whole vectors are added:
// gradients [padded], hessian rows [n_outputs][padded], then loss and weight.
struct LeafShape {
  std::size_t n_outputs, padded, size;

  explicit LeafShape(std::size_t outputs)
      : n_outputs(outputs), padded((outputs + 3) / 4 * 4), size(padded * (outputs + 1) + 4) {}
};

typedef double Four __attribute__((vector_size(32), aligned(8), may_alias));

// Adds rows to their leaves: expected gradient -w p_k and hessian w p_k (1[j = k] - p_j).
// probabilities [count][padded].
OCELOT_HOT void add_rows(const double* probabilities, const double* weights,
                         const std::uint32_t* leaves, std::size_t count, const LeafShape& shape,
                         double* sums) {
  const std::size_t n_outputs = shape.n_outputs, padded = shape.padded;
  for (std::size_t i = 0; i < count; ++i) {
    const double* p = probabilities + i * padded;
    double* leaf = sums + leaves[i] * shape.size;
    for (std::size_t j = 0; j < padded; j += 4) {
      const Four own = *reinterpret_cast<const Four*>(p + j);
      const Four weighted = own * weights[i];
      *reinterpret_cast<Four*>(leaf + j) -= weighted;
      for (std::size_t k = 0; k < n_outputs; ++k) {
        *reinterpret_cast<Four*>(leaf + padded * (k + 1) + j) -= weighted * p[k];
      }
    }
    for (std::size_t k = 0; k < n_outputs; ++k) leaf[padded * (k + 1) + k] += weights[i] * p[k];
  }
}

// Probabilities [n_outputs][block_size] of a block of rows and their losses, at raw plus the step
// of each row's leaf.
void moved_probabilities(const double* raw, std::size_t n_rows, const float* targets,
                         std::size_t n_outputs, std::size_t count, const std::uint32_t* leaves,
                         const double* leaf_steps, double* values, double* losses) {
  double own[block_size];
  for (std::size_t k = 0; k < n_outputs; ++k) {
    for (std::size_t i = 0; i < count; ++i) {
      values[k * block_size + i] = raw[k * n_rows + i] + leaf_steps[leaves[i] * n_outputs + k];
    }
  }
  for (std::size_t i = 0; i < count; ++i) own[i] = values[std::size_t(targets[i]) * block_size + i];
  softmax_block(values, n_outputs, count, losses);
  for (std::size_t i = 0; i < count; ++i) losses[i] -= own[i];
}

// The same from negative gradients: 1[k is the row's class] - p_k.
OCELOT_HOT void known_probabilities(const float* gradients, std::size_t n_rows,
                                    const float* targets, std::size_t n_outputs, std::size_t count,
                                    double* values) {
  for (std::size_t k = 0; k < n_outputs; ++k) {
    const float label = float(k);
    for (std::size_t i = 0; i < count; ++i) {
      values[k * block_size + i] =
          double((targets[i] == label ? 1.0f : 0.0f)) - double(gradients[k * n_rows + i]);
    }
  }
}

}  // namespace

// Rows are the inner loop: vector instructions work on several rows at once.
OCELOT_HOT void softmax_block(double* values, std::size_t n_outputs, std::size_t count,
                              double* log_sums) {
  double highest[softmax_block_size], sums[softmax_block_size];
  for (std::size_t i = 0; i < count; ++i) highest[i] = values[i];
  for (std::size_t k = 1; k < n_outputs; ++k) {
    const double* output = values + k * softmax_block_size;
    for (std::size_t i = 0; i < count; ++i) {
      highest[i] = output[i] > highest[i] ? output[i] : highest[i];
    }
  }
  for (std::size_t i = 0; i < count; ++i) sums[i] = 0;
  for (std::size_t k = 0; k < n_outputs; ++k) {
    double* output = values + k * softmax_block_size;
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
    double* output = values + k * softmax_block_size;
    for (std::size_t i = 0; i < count; ++i) output[i] *= sums[i];
  }
}

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
                       const float* gradients, std::size_t n_outputs, std::size_t n_rows,
                       const std::uint32_t* leaves, std::size_t n_leaves, const double* leaf_steps,
                       double* out, int n_threads) {
  const LeafShape shape(n_outputs);
  std::vector<double> all_sums(n_leaves * shape.size);
  sum_by_leaf(n_rows, all_sums.size(), all_sums.data(), n_threads,
              [&](std::size_t begin, std::size_t end, double* sums) {
                std::vector<double> values(n_outputs * block_size), rows(shape.padded * block_size);
                double losses[block_size], row_weights[block_size];
                for (std::size_t first = begin; first < end; first += block_size) {
                  const std::size_t count = std::min(block_size, end - first);
                  const std::uint32_t* row_leaves = leaves + first;
                  if (gradients) {
                    known_probabilities(gradients + first, n_rows, targets + first, n_outputs,
                                        count, values.data());
                    std::fill_n(losses, count, 0.0);
                  } else {
                    moved_probabilities(raw + first, n_rows, targets + first, n_outputs, count,
                                        row_leaves, leaf_steps, values.data(), losses);
                  }
                  for (std::size_t k = 0; k < n_outputs; ++k) {
                    const double* value = values.data() + k * block_size;
                    for (std::size_t i = 0; i < count; ++i) rows[i * shape.padded + k] = value[i];
                  }
                  for (std::size_t i = 0; i < count; ++i) {
                    row_weights[i] = weights ? weights[first + i] : 1.0f;
                  }
                  add_rows(rows.data(), row_weights, row_leaves, count, shape, sums);
                  for (std::size_t i = 0; i < count; ++i) {
                    double* leaf = sums + row_leaves[i] * shape.size;
                    leaf[std::size_t(targets[first + i])] += row_weights[i];
                    leaf[shape.size - 4] += row_weights[i] * losses[i];
                    leaf[shape.size - 3] += row_weights[i];
                  }
                }
              });
  const std::size_t width = n_outputs + n_outputs * n_outputs + 2;
  for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
    const double* from = all_sums.data() + leaf * shape.size;
    double* to = out + leaf * width;
    for (std::size_t k = 0; k <= n_outputs; ++k) {
      std::copy_n(from + k * shape.padded, n_outputs, to + k * n_outputs);
    }
    std::copy_n(from + shape.size - 4, 2, to + width - 2);
  }
}

}  // namespace ocelot
