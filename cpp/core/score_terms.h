// What a leaf adds to the scores of borders, from running sums of packed words.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "score.h"

namespace ocelot {

using AddTerms = void (*)(const std::int32_t* gradient, const std::int32_t* weight,
                          std::size_t n_bins, float gradient_unit, float weight_unit,
                          float regularization, float min_weight, float* numerator,
                          float* denominator);

// The loop for one leaf and output.
AddTerms terms_of(ScoreKind kind, bool limited);

// Two signed 32-bit sums share a word: word = high * 2^32 + low.
void unpack(const std::int64_t* sums, std::size_t words, std::size_t count, std::int32_t* low,
            std::int32_t* high);

// numerator / sqrt(denominator)
void divide(float* numerator, const float* denominator, std::size_t count);

// large -= small
void subtract(std::int64_t* large, const std::int64_t* small, std::size_t count);

// Single precision has little range, so gradients and weights are scaled to at most 1 first and
// the best scores are scaled back.
struct ScoreScale {
  double gradient, weight, score;

  ScoreScale(const double* units, std::size_t n_outputs, ScoreKind kind) {
    const double largest_field = 2147483648.0;
    gradient = largest_field * *std::max_element(units, units + n_outputs);
    weight = largest_field * units[n_outputs];
    score = kind == ScoreKind::cosine ? gradient / std::sqrt(weight) : gradient * gradient / weight;
  }
};

}  // namespace ocelot
