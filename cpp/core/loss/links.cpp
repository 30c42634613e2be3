#include "loss/links.h"

#include <algorithm>
#include <vector>

#include "loss/softmax_block.h"
#include "shared/pool.h"

namespace ocelot {
namespace {

constexpr std::size_t values_per_task = 8192;

OCELOT_HOT void exponentials_of(const double* values, std::size_t n, double* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = vector_exp(values[i]);
}

OCELOT_HOT void logarithms_of(const double* values, std::size_t n, double* out) {
  for (std::size_t i = 0; i < n; ++i) out[i] = vector_log(values[i]);
}

OCELOT_HOT void logistics_of(const double* values, std::size_t n, double* out) {
  for (std::size_t i = 0; i < n; ++i) {
    const double x = values[i];
    const double e = vector_exp(x < 0 ? x : -x);
    out[i] = (x < 0 ? e : 1.0) / (1.0 + e);
  }
}

template <class Function>
void in_parallel(std::span<const double> values, double* out, int n_threads, Function&& function) {
  parallel_blocks(values.size(), values_per_task, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    function(values.data() + begin, end - begin, out + begin);
                  });
}

}  // namespace

void exponentials(std::span<const double> values, double* out, int n_threads) {
  in_parallel(values, out, n_threads, exponentials_of);
}

void logarithms(std::span<const double> values, double* out, int n_threads) {
  in_parallel(values, out, n_threads, logarithms_of);
}

void logistics(std::span<const double> values, double* out, int n_threads) {
  in_parallel(values, out, n_threads, logistics_of);
}

void softmax(const Matrix<const double>& raw, const Matrix<double>& out,
             std::span<double> out_log_sums, int n_threads) {
  const std::size_t n_outputs = raw.n_lines;
  parallel_blocks(out_log_sums.size(), softmax_block_size, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    const std::size_t count = end - begin;
                    std::vector<double> values(n_outputs * softmax_block_size);
                    for (std::size_t k = 0; k < n_outputs; ++k) {
                      std::copy_n(raw[k] + begin, count, values.data() + k * softmax_block_size);
                    }
                    softmax_block(values.data(), n_outputs, count, out_log_sums.data() + begin);
                    for (std::size_t k = 0; k < n_outputs; ++k) {
                      std::copy_n(values.data() + k * softmax_block_size, count, out[k] + begin);
                    }
                  });
}

}  // namespace ocelot
