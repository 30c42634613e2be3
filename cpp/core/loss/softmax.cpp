#include "loss/softmax.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "loss/softmax_block.h"
#include "shared/pool.h"

namespace ocelot {
namespace {

constexpr std::size_t block_size = softmax_block_size;
constexpr std::size_t rows_per_task = 4096;

// Gradients of at most block_size rows, whose losses are added to inout_loss. values is memory for
// [n_outputs][block_size] numbers.
void add_block(const ClassRows& rows, std::size_t first, std::size_t count, double* values,
               const Matrix<float>& out_gradients, double& inout_loss) {
  double log_sums[block_size];
  const float* const targets = rows.targets.data() + first;
  for (std::size_t k = 0; k < rows.n_outputs(); ++k) {
    std::copy_n(rows.raw[k] + first, count, values + k * block_size);
  }
  softmax_block(values, rows.n_outputs(), count, log_sums);
  for (std::size_t k = 0; k < rows.n_outputs(); ++k) {
    const double* const probability = values + k * block_size;
    float* const out = out_gradients[k] + first;
    const float label = float(k);
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = float((targets[i] == label ? 1.0 : 0.0) - probability[i]);
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double own = rows.raw[std::size_t(targets[i])][first + i];
    inout_loss += rows.weights[first + i] * (log_sums[i] - own);
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

double softmax_gradients(const ClassRows& rows, const Matrix<float>& out_gradients, int n_threads) {
  std::vector<double> losses((rows.size() + rows_per_task - 1) / rows_per_task, 0.0);
  parallel_blocks(rows.size(), rows_per_task, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t task) {
                    std::vector<double> values(rows.n_outputs() * block_size);
                    for (std::size_t first = begin; first < end; first += block_size) {
                      const std::size_t count = std::min(block_size, end - first);
                      add_block(rows, first, count, values.data(), out_gradients, losses[task]);
                    }
                  });
  return std::accumulate(losses.begin(), losses.end(), 0.0);
}

}  // namespace ocelot
