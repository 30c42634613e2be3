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
void in_parallel(const double* values, std::size_t n, double* out, int n_threads,
                 Function&& function) {
  parallel_blocks(n, values_per_task, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    function(values + begin, end - begin, out + begin);
                  });
}

}  // namespace

void exponentials(const double* values, std::size_t n, double* out, int n_threads) {
  in_parallel(values, n, out, n_threads, exponentials_of);
}

void logarithms(const double* values, std::size_t n, double* out, int n_threads) {
  in_parallel(values, n, out, n_threads, logarithms_of);
}

void logistics(const double* values, std::size_t n, double* out, int n_threads) {
  in_parallel(values, n, out, n_threads, logistics_of);
}

void softmax(const double* raw, std::size_t n_outputs, std::size_t n_rows, double* out,
             double* out_log_sums, int n_threads) {
  parallel_blocks(
      n_rows, softmax_block_size, n_threads, [&](std::size_t begin, std::size_t end, std::size_t) {
        const std::size_t count = end - begin;
        std::vector<double> values(n_outputs * softmax_block_size);
        for (std::size_t k = 0; k < n_outputs; ++k) {
          std::copy_n(raw + k * n_rows + begin, count, values.data() + k * softmax_block_size);
        }
        softmax_block(values.data(), n_outputs, count, out_log_sums + begin);
        for (std::size_t k = 0; k < n_outputs; ++k) {
          std::copy_n(values.data() + k * softmax_block_size, count, out + k * n_rows + begin);
        }
      });
}

}  // namespace ocelot
