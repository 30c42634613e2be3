#include "leaves/step.h"

#include <vector>

#include "leaves/sum_by_leaf.h"
#include "loss/derivatives.h"
#include "shared/pool.h"

namespace ocelot {
namespace {

constexpr std::size_t rows_per_task = 1024;

OCELOT_HOT void add_strided(const std::uint32_t* __restrict leaves, const double* __restrict values,
                            std::size_t stride, std::size_t n_rows, double* __restrict raw) {
  for (std::size_t row = 0; row < n_rows; ++row) raw[row] += values[leaves[row] * stride];
}

}  // namespace

void loss_leaf_sums(const Loss& loss, const LossRows& rows, const LeafNumbers& leaves,
                    const double* steps, std::span<double> out, int n_threads) {
  sum_by_leaf(
      rows.size(), out, n_threads, [&](std::size_t begin, std::size_t end, double* partial) {
        LossRows own = rows.part(begin, end);
        const std::span<const std::uint32_t> of_row = leaves.of_row.subspan(begin, end - begin);
        std::vector<double> moved;
        if (steps) {
          moved.assign(own.raw.begin(), own.raw.end());
          add_values(of_row, steps, 1, moved.data());
          own.raw = moved;
        }
        sum_rows_by_leaf(loss, own, of_row.data(), leaves.n_leaves, partial);
      });
}

void add_leaf_values(const LeafNumbers& leaves, const double* values,
                     const Matrix<double>& inout_raw, int n_threads) {
  const std::size_t n_outputs = inout_raw.n_lines;
  parallel_blocks(leaves.of_row.size(), rows_per_task, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    for (std::size_t k = 0; k < n_outputs; ++k) {
                      add_values(leaves.of_row.subspan(begin, end - begin), values + k, n_outputs,
                                 inout_raw[k] + begin);
                    }
                  });
}

void add_values(std::span<const std::uint32_t> leaves, const double* values, std::size_t stride,
                double* inout_raw) {
  add_strided(leaves.data(), values, stride, leaves.size(), inout_raw);
}

}  // namespace ocelot
