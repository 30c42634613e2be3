#include "leaves/class_sums.h"

#include <algorithm>
#include <vector>

#include "leaves/sum_by_leaf.h"
#include "loss/softmax_block.h"
#include "shared/pool.h"

namespace ocelot {
namespace {

constexpr std::size_t block_size = softmax_block_size;

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
                         std::span<const std::uint32_t> leaves, const LeafShape& shape,
                         double* sums) {
  const std::size_t n_outputs = shape.n_outputs, padded = shape.padded;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
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
void moved_probabilities(const ClassRows& rows, std::size_t first,
                         std::span<const std::uint32_t> leaves, const double* leaf_steps,
                         double* values, double* losses) {
  const std::size_t n_outputs = rows.n_outputs(), count = leaves.size();
  double own[block_size];
  for (std::size_t k = 0; k < n_outputs; ++k) {
    const double* const raw = rows.raw[k] + first;
    for (std::size_t i = 0; i < count; ++i) {
      values[k * block_size + i] = raw[i] + leaf_steps[leaves[i] * n_outputs + k];
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    own[i] = values[std::size_t(rows.targets[first + i]) * block_size + i];
  }
  softmax_block(values, n_outputs, count, losses);
  for (std::size_t i = 0; i < count; ++i) losses[i] -= own[i];
}

// The same from negative gradients: 1[k is the row's class] - p_k.
OCELOT_HOT void known_probabilities(const Matrix<const float>& gradients,
                                    std::span<const float> targets, double* values) {
  const float* const classes = targets.data();
  for (std::size_t k = 0; k < gradients.n_lines; ++k) {
    const float label = float(k);
    const float* const gradient = gradients[k];
    for (std::size_t i = 0; i < targets.size(); ++i) {
      values[k * block_size + i] =
          double((classes[i] == label ? 1.0f : 0.0f)) - double(gradient[i]);
    }
  }
}

// Sums of all leaves, where find(first, count, values, losses) says what is known of a block.
template <class Find>
void sum_leaves(const ClassRows& rows, const LeafNumbers& leaves, double* out, int n_threads,
                Find&& find) {
  const std::size_t n_outputs = rows.n_outputs();
  const LeafShape shape(n_outputs);
  std::vector<double> all_sums(leaves.n_leaves * shape.size);
  sum_by_leaf(rows.size(), all_sums, n_threads,
              [&](std::size_t begin, std::size_t end, double* sums) {
                std::vector<double> values(n_outputs * block_size);
                std::vector<double> turned(shape.padded * block_size);  // [row][output]
                double losses[block_size], weights[block_size];
                for (std::size_t first = begin; first < end; first += block_size) {
                  const std::size_t count = std::min(block_size, end - first);
                  const auto own_leaves = leaves.of_row.subspan(first, count);
                  find(first, count, values.data(), losses);
                  for (std::size_t k = 0; k < n_outputs; ++k) {
                    const double* value = values.data() + k * block_size;
                    for (std::size_t i = 0; i < count; ++i) turned[i * shape.padded + k] = value[i];
                  }
                  for (std::size_t i = 0; i < count; ++i) weights[i] = rows.weights[first + i];
                  add_rows(turned.data(), weights, own_leaves, shape, sums);
                  for (std::size_t i = 0; i < count; ++i) {
                    double* leaf = sums + own_leaves[i] * shape.size;
                    leaf[std::size_t(rows.targets[first + i])] += weights[i];
                    leaf[shape.size - 4] += weights[i] * losses[i];
                    leaf[shape.size - 3] += weights[i];
                  }
                }
              });
  const std::size_t width = n_outputs + n_outputs * n_outputs + 2;
  for (std::size_t leaf = 0; leaf < leaves.n_leaves; ++leaf) {
    const double* from = all_sums.data() + leaf * shape.size;
    double* to = out + leaf * width;
    for (std::size_t k = 0; k <= n_outputs; ++k) {
      std::copy_n(from + k * shape.padded, n_outputs, to + k * n_outputs);
    }
    std::copy_n(from + shape.size - 4, 2, to + width - 2);
  }
}

// Gradient, p (1 - p) and p of one class over leaves: sums [n_leaves][3].
void add_class(std::span<const float> targets, Weights weights, const float* gradients, float label,
               const std::uint32_t* leaves, double* sums) {
  for (std::size_t i = 0; i < targets.size(); ++i) {
    const double weight = weights[i];
    const double gradient = gradients[i];
    const double p = (targets[i] == label ? 1.0 : 0.0) - gradient;
    double* leaf = sums + 3 * leaves[i];
    leaf[0] += weight * gradient;
    leaf[1] += weight * (p * (1.0 - p));
    leaf[2] += weight * p;
  }
}

}  // namespace

void softmax_leaf_sums(const ClassRows& rows, const LeafNumbers& leaves, const double* leaf_steps,
                       double* out, int n_threads) {
  sum_leaves(rows, leaves, out, n_threads,
             [&](std::size_t first, std::size_t count, double* values, double* losses) {
               moved_probabilities(rows, first, leaves.of_row.subspan(first, count), leaf_steps,
                                   values, losses);
             });
}

void softmax_leaf_sums_known(const ClassRows& rows, const Matrix<const float>& gradients,
                             const LeafNumbers& leaves, double* out, int n_threads) {
  sum_leaves(rows, leaves, out, n_threads,
             [&](std::size_t first, std::size_t count, double* values, double* losses) {
               known_probabilities(gradients.from(first), rows.targets.subspan(first, count),
                                   values);
               std::fill_n(losses, count, 0.0);
             });
}

void class_leaf_sums(std::span<const float> targets, Weights weights,
                     const Matrix<const float>& gradients, const LeafNumbers& leaves, double* out,
                     int n_threads) {
  const std::size_t n_outputs = gradients.n_lines, n_leaves = leaves.n_leaves;
  parallel_for(n_outputs, n_threads, [&](std::size_t k) {
    std::vector<double> sums(3 * n_leaves, 0.0);
    add_class(targets, weights, gradients[k], float(k), leaves.of_row.data(), sums.data());
    for (std::size_t field = 0; field < 3; ++field) {
      for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
        out[(field * n_leaves + leaf) * n_outputs + k] = sums[3 * leaf + field];
      }
    }
  });
}

}  // namespace ocelot
