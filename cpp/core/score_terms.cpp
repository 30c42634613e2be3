#include "score_terms.h"

#include <limits>

#include "multiversion.h"

namespace ocelot {
namespace {

// What one leaf adds to the score of each border: numerator v * G, denominator v^2 * W, where
// v = G / (W + regularization) on each side. Sums of both sides are exact integers and all terms
// are positive, so single precision keeps scores to about six digits. The two sides are added to
// each other first: a split and its mirror image score the same to the last bit. The last bin has
// no border after it; its term is computed with the others and nobody reads it.
template <bool cosine, bool limited>
OCELOT_INLINE void add_output(const std::int32_t* __restrict gradient,
                              const std::int32_t* __restrict weight, std::size_t n_bins,
                              float gradient_unit, float weight_unit, float regularization,
                              float min_weight, float* __restrict numerator,
                              float* __restrict denominator) {
  const std::int32_t total_gradient = gradient[n_bins - 1], total_weight = weight[n_bins - 1];
  for (std::size_t b = 0; b < n_bins; ++b) {
    const float left_weight = float(weight[b]) * weight_unit;
    const float right_weight = float(total_weight - weight[b]) * weight_unit;
    float left = float(gradient[b]) * gradient_unit;
    float right = float(total_gradient - gradient[b]) * gradient_unit;
    if (limited) {
      left = left_weight < min_weight ? 0.0f : left;
      right = right_weight < min_weight ? 0.0f : right;
    }
    const float left_value = left / (left_weight + regularization);
    const float right_value = right / (right_weight + regularization);
    numerator[b] += left_value * left + right_value * right;
    if (cosine) {
      denominator[b] +=
          left_value * left_value * left_weight + right_value * right_value * right_weight;
    }
  }
}

#define OCELOT_ADD_OUTPUT(name, cosine, limited)                                      \
  OCELOT_HOT void name(const std::int32_t* gradient, const std::int32_t* weight,      \
                       std::size_t n_bins, float gradient_unit, float weight_unit,    \
                       float regularization, float min_weight, float* numerator,      \
                       float* denominator) {                                          \
    add_output<cosine, limited>(gradient, weight, n_bins, gradient_unit, weight_unit, \
                                regularization, min_weight, numerator, denominator);  \
  }
OCELOT_ADD_OUTPUT(add_l2, false, false)
OCELOT_ADD_OUTPUT(add_l2_limited, false, true)
OCELOT_ADD_OUTPUT(add_cosine, true, false)
OCELOT_ADD_OUTPUT(add_cosine_limited, true, true)
#undef OCELOT_ADD_OUTPUT

}  // namespace

AddTerms terms_of(ScoreKind kind, bool limited) {
  if (kind == ScoreKind::cosine) return limited ? add_cosine_limited : add_cosine;
  return limited ? add_l2_limited : add_l2;
}

OCELOT_HOT void unpack(const std::int64_t* __restrict sums, std::size_t words, std::size_t count,
                       std::int32_t* __restrict low, std::int32_t* __restrict high) {
  for (std::size_t b = 0; b < count; ++b) {
    const std::uint64_t word = std::uint64_t(sums[b * words]);
    low[b] = std::int32_t(word);
    // Adding half of the low range carries into the high half exactly when low is negative.
    high[b] = std::int32_t((word + 0x80000000u) >> 32);
  }
}

OCELOT_HOT void divide(float* __restrict numerator, const float* __restrict denominator,
                       std::size_t count) {
  for (std::size_t b = 0; b < count; ++b) {
    numerator[b] /= std::sqrt(denominator[b] + std::numeric_limits<float>::min());
  }
}

OCELOT_HOT void subtract(std::int64_t* large, const std::int64_t* small, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) large[i] -= small[i];
}

}  // namespace ocelot
