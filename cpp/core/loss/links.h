// From raw predictions to means and probabilities, with exp and log of our own.
#pragma once

#include <cstddef>

namespace ocelot {

// exp(x); arguments beyond [-708, 708] are clamped to that range.
void exponentials(const double* values, std::size_t n, double* out, int n_threads);

// log(x) for normal x > 0.
void logarithms(const double* values, std::size_t n, double* out, int n_threads);

// 1 / (1 + exp(-x)).
void logistics(const double* values, std::size_t n, double* out, int n_threads);

// Softmax over the outputs of raw [n_outputs][n_rows], into out of that shape; out_log_sums are
// each row's log of the sum of exponentials.
void softmax(const double* raw, std::size_t n_outputs, std::size_t n_rows, double* out,
             double* out_log_sums, int n_threads);

}  // namespace ocelot
