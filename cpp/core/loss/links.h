// From raw predictions to means and probabilities, with exp and log of our own.
#pragma once

#include <cstddef>
#include <span>

#include "shared/views.h"

namespace ocelot {

// exp(x); arguments beyond [-708, 708] are clamped to that range.
void exponentials(std::span<const double> values, double* out, int n_threads);

// log(x) for normal x > 0.
void logarithms(std::span<const double> values, double* out, int n_threads);

// 1 / (1 + exp(-x)).
void logistics(std::span<const double> values, double* out, int n_threads);

// Softmax over the outputs of raw [n_outputs][n_rows], into out of that shape; out_log_sums are the
// logarithms of each row's sum of exponentials.
void softmax(const Matrix<const double>& raw, const Matrix<double>& out,
             std::span<double> out_log_sums, int n_threads);

}  // namespace ocelot
