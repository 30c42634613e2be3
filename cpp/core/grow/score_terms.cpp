#include "grow/score_terms.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "grow/addend.h"
#include "shared/multiversion.h"

namespace ocelot {
namespace {

// Of weights that are at most 1: its square is still a normal number of single precision.
constexpr double least_regularization = 1e-18;

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

// The same in order: values v come from the body of a segment, G and W from its tail. A side is
// light or not by all rows of the leaf. One division serves both sides.
struct OrderedTerms {
  float body_unit, tail_unit, weight_unit, regularization, min_weight;
};

// Eight bins at a time.
typedef std::int32_t Integers __attribute__((vector_size(32), aligned(4), may_alias));
typedef float Floats __attribute__((vector_size(32), aligned(4), may_alias));
constexpr std::size_t lanes = 8;

// Sums up to a border and beyond it.
struct Sides {
  Floats left, right;
};
OCELOT_INLINE Sides sides(const Integers& sums, std::int32_t total) {
  return {__builtin_convertvector(sums, Floats), __builtin_convertvector(total - sums, Floats)};
}

template <bool cosine>
OCELOT_INLINE void add_terms(const Sides& value, const Sides& tail_gradient,
                             const Sides& tail_weight, Floats& numerator, Floats& denominator) {
  numerator += value.left * tail_gradient.left + value.right * tail_gradient.right;
  if (cosine) {
    denominator +=
        value.left * value.left * tail_weight.left + value.right * value.right * tail_weight.right;
  }
}

OCELOT_INLINE Sides leaf_values_of(const Sides& gradient, const Sides& weight,
                                   float regularization) {
  const Floats left_weight = weight.left + regularization;
  const Floats right_weight = weight.right + regularization;
  const Floats inverse = 1.0f / (left_weight * right_weight);
  return {gradient.left * right_weight * inverse, gradient.right * left_weight * inverse};
}

// The arrays have room for whole vectors: what is computed beyond n_bins, nobody reads.
template <bool cosine, bool limited>
OCELOT_INLINE void add_segment(const std::int32_t* body_gradient, const std::int32_t* body_weight,
                               const std::int32_t* tail_gradient, const std::int32_t* tail_weight,
                               const std::int32_t* all_weight, std::size_t n_bins,
                               const OrderedTerms& terms, float* numerator, float* denominator) {
  const auto at = [](const std::int32_t* sums, std::size_t b) {
    return *reinterpret_cast<const Integers*>(sums + b);
  };
  const auto sides_at = [&](const std::int32_t* sums, std::size_t b, float unit) {
    const Sides both = sides(at(sums, b), sums[n_bins - 1]);
    return Sides{both.left * unit, both.right * unit};
  };
  for (std::size_t b = 0; b < n_bins; b += lanes) {
    Sides value = leaf_values_of(sides_at(body_gradient, b, terms.body_unit),
                                 sides_at(body_weight, b, terms.weight_unit), terms.regularization);
    if (limited) {
      const Sides all = sides_at(all_weight, b, terms.weight_unit);
      value.left = all.left < terms.min_weight ? Floats{} : value.left;
      value.right = all.right < terms.min_weight ? Floats{} : value.right;
    }
    add_terms<cosine>(value, sides_at(tail_gradient, b, terms.tail_unit),
                      sides_at(tail_weight, b, terms.weight_unit),
                      *reinterpret_cast<Floats*>(numerator + b),
                      *reinterpret_cast<Floats*>(denominator + b));
  }
}

// The low and the high halves of eight words.
struct Halves {
  Integers low, high;
};
OCELOT_INLINE Halves halves(const std::int64_t* words) {
  const Integers first = *reinterpret_cast<const Integers*>(words);
  const Integers second = *reinterpret_cast<const Integers*>(words + lanes / 2);
  static_assert(std::endian::native == std::endian::little, "the low half comes first");
#if __has_builtin(__builtin_shufflevector)
  const Integers low = __builtin_shufflevector(first, second, 0, 2, 4, 6, 8, 10, 12, 14);
  const Integers high = __builtin_shufflevector(first, second, 1, 3, 5, 7, 9, 11, 13, 15);
#else
  const Integers low = __builtin_shuffle(first, second, Integers{0, 2, 4, 6, 8, 10, 12, 14});
  const Integers high = __builtin_shuffle(first, second, Integers{1, 3, 5, 7, 9, 11, 13, 15});
#endif
  return {low, high - (low >> 31)};  // a negative low half has borrowed 1 from the high one
}

// All segments of a leaf at once, for rows of one gradient: sums stay in registers, and are in
// units of their fields. The bins are n_vectors whole vectors from `first` on, or the rest of one.
template <bool cosine, std::size_t n_vectors>
OCELOT_INLINE void add_eras_at(std::size_t first, const std::int64_t* const* sums,
                               std::size_t n_eras, std::size_t n_bins, float regularization,
                               float* numerator, float* denominator) {
  Integers body_gradient[n_vectors]{}, body_weight[n_vectors]{};
  std::int32_t body_gradients = 0, body_weights = 0;
  Floats* const above = reinterpret_cast<Floats*>(numerator + first);
  Floats* const below = reinterpret_cast<Floats*>(denominator + first);
  for (std::size_t era = 0; era < n_eras; ++era) {
    if (!sums[era]) continue;
    const std::int64_t total = sums[era][n_bins - 1];
    const auto weights = std::int32_t(total);
    const auto gradients = std::int32_t((total + 0x80000000) >> 32);
#pragma GCC unroll 2
    for (std::size_t v = 0; v < n_vectors; ++v) {
      const std::size_t begin = first + v * lanes;
      const std::int64_t* words = sums[era] + begin;
      std::int64_t rest[lanes]{};
      if (n_vectors == 1 && begin + lanes > n_bins) {
        std::copy(words, sums[era] + n_bins, rest);
        words = rest;
      }
      const auto [weight, gradient] = halves(words);
      if (body_weights > 0) {
        const Sides value = leaf_values_of(sides(body_gradient[v], body_gradients),
                                           sides(body_weight[v], body_weights), regularization);
        add_terms<cosine>(value, sides(gradient, gradients), sides(weight, weights), above[v],
                          below[v]);
      }
      body_gradient[v] += gradient;
      body_weight[v] += weight;
    }
    body_gradients += gradients;
    body_weights += weights;
  }
}

template <bool cosine>
OCELOT_INLINE void add_eras(const std::int64_t* const* sums, std::size_t n_eras, std::size_t n_bins,
                            float regularization, float* numerator, float* denominator) {
  std::size_t first = 0;
  for (; first + 2 * lanes <= n_bins; first += 2 * lanes) {
    add_eras_at<cosine, 2>(first, sums, n_eras, n_bins, regularization, numerator, denominator);
  }
  for (; first < n_bins; first += lanes) {
    add_eras_at<cosine, 1>(first, sums, n_eras, n_bins, regularization, numerator, denominator);
  }
}

#define OCELOT_ADD_SEGMENT(name, cosine, limited)                                          \
  OCELOT_HOT void name(const std::int32_t* body_gradient, const std::int32_t* body_weight, \
                       const std::int32_t* tail_gradient, const std::int32_t* tail_weight, \
                       const std::int32_t* all_weight, std::size_t n_bins,                 \
                       const OrderedTerms& terms, float* numerator, float* denominator) {  \
    add_segment<cosine, limited>(body_gradient, body_weight, tail_gradient, tail_weight,   \
                                 all_weight, n_bins, terms, numerator, denominator);       \
  }
OCELOT_ADD_SEGMENT(add_ordered_l2, false, false)
OCELOT_ADD_SEGMENT(add_ordered_l2_limited, false, true)
OCELOT_ADD_SEGMENT(add_ordered_cosine, true, false)
OCELOT_ADD_SEGMENT(add_ordered_cosine_limited, true, true)
#undef OCELOT_ADD_SEGMENT

OCELOT_HOT void add_eras_l2(const std::int64_t* const* sums, std::size_t n_eras, std::size_t n_bins,
                            float regularization, float* numerator, float* denominator) {
  add_eras<false>(sums, n_eras, n_bins, regularization, numerator, denominator);
}
OCELOT_HOT void add_eras_cosine(const std::int64_t* const* sums, std::size_t n_eras,
                                std::size_t n_bins, float regularization, float* numerator,
                                float* denominator) {
  add_eras<true>(sums, n_eras, n_bins, regularization, numerator, denominator);
}

using AddSegment = void (*)(const std::int32_t*, const std::int32_t*, const std::int32_t*,
                            const std::int32_t*, const std::int32_t*, std::size_t,
                            const OrderedTerms&, float*, float*);

AddSegment segment_terms(bool cosine, bool limited) {
  if (cosine) return limited ? add_ordered_cosine_limited : add_ordered_cosine;
  return limited ? add_ordered_l2_limited : add_ordered_l2;
}

OCELOT_HOT void add_to(std::int32_t* __restrict sums, const std::int32_t* __restrict more,
                       std::size_t count) {
  for (std::size_t b = 0; b < count; ++b) sums[b] += more[b];
}

// numerator / sqrt(denominator)
OCELOT_HOT void divide(float* __restrict numerator, const float* __restrict denominator,
                       std::size_t count) {
  for (std::size_t b = 0; b < count; ++b) {
    numerator[b] /= std::sqrt(denominator[b] + std::numeric_limits<float>::min());
  }
}

}  // namespace

OCELOT_HOT void unpack(const std::int64_t* __restrict sums, std::size_t words, std::size_t count,
                       std::int32_t* __restrict low, std::int32_t* __restrict high) {
  for (std::size_t b = 0; b < count; ++b) {
    const std::uint64_t word = std::uint64_t(sums[b * words]);
    low[b] = std::int32_t(word);
    // Adding half of the low range carries into the high half exactly when low is negative.
    high[b] = std::int32_t((word + 0x80000000u) >> 32);
  }
}

OCELOT_HOT void run_sums(std::int64_t* bins, std::size_t n_bins, std::size_t words) {
  std::size_t done = 1;
#if __has_builtin(__builtin_shufflevector)
  if (words == 1 && n_bins >= 4) {
    // Four at a time: each becomes the sum of itself and those before it, plus the sum so far.
    using Four = Addend<4>::Type;
    Four before{};
    for (done = 0; done + 4 <= n_bins; done += 4) {
      Four& own = *reinterpret_cast<Four*>(bins + done);
      Four sums = own;
      sums += __builtin_shufflevector(sums, Four{}, 4, 0, 1, 2);
      sums += __builtin_shufflevector(sums, Four{}, 4, 4, 0, 1);
      own = sums + before;
      before += __builtin_shufflevector(sums, sums, 3, 3, 3, 3);
    }
  }
#endif
  for (std::size_t i = done * words; i < n_bins * words; ++i) bins[i] += bins[i - words];
}

OCELOT_HOT void subtract(std::int64_t* large, const std::int64_t* small, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) large[i] -= small[i];
}

BorderScores::BorderScores(const ScoreRule& rule, std::size_t n_chunks, std::size_t words)
    : rule_(rule),
      n_chunks_(n_chunks),
      words_(words),
      n_segments_(rule.n_eras - 1),
      n_fields_(rule.n_gradients + 1) {
  const bool cosine = rule.kind == ScoreKind::cosine, limited = rule.min_weight > 0;
  plain_ =
      cosine ? (limited ? add_cosine_limited : add_cosine) : (limited ? add_l2_limited : add_l2);
  all_at_once_ = n_segments_ > 0 && rule.n_gradients == 1 && !limited;
  const double largest_gradient = all_at_once_ ? 1.0 : 2147483648.0;
  // A square in Ordered mode, so that roots of weights are scaled by a power of two.
  const double largest_weight = all_at_once_ ? 1.0 : n_segments_ ? 4294967296.0 : 2147483648.0;
  gradient_scale_ = largest_gradient * *std::max_element(rule.units, rule.units + rule.n_gradients);
  weight_scale_ = largest_weight * rule.units[rule.n_gradients];
  score_scale_ = cosine ? gradient_scale_ / std::sqrt(weight_scale_)
                        : gradient_scale_ * gradient_scale_ / weight_scale_;
  for (std::size_t f = 0; f < rule.n_gradients; ++f) {
    units_.push_back(float(rule.units[f] / gradient_scale_));
  }
  units_.push_back(float(rule.units[rule.n_gradients] / weight_scale_));
  regularization_ = float(rule.regularization / weight_scale_);
  if (n_segments_) {
    const double least = least_regularization * 4294967296.0 / largest_weight;
    regularization_ = std::max(regularization_, float(least));
  }
  min_weight_ = float(rule.min_weight / weight_scale_);
  fields_.resize(2 * n_chunks * words);
  bodies_.resize(n_segments_ ? rule.n_gradients : 0);
}

void BorderScores::score(std::size_t n_bins, const LeafSums& leaves) {
  n_bins_ = n_bins;
  std::fill_n(numerator_, n_bins, 0.0f);
  std::fill_n(denominator_, n_bins, 0.0f);
  const std::size_t n_pieces = rule_.n_eras * n_chunks_;
  for (std::size_t first = 0; first < leaves.size(); first += n_pieces) add_leaf(&leaves[first]);
  if (rule_.kind == ScoreKind::cosine) divide(numerator_, denominator_, n_bins);
}

Border BorderScores::best(std::size_t first, std::size_t n_bins) const {
  const float* const scores = numerator_ + first;
  const float* const best = std::max_element(scores, scores + n_bins - 1);
  return {double(*best) * score_scale_, std::uint8_t(best - scores)};
}

void BorderScores::add_leaf(const std::int64_t* const* sums) {
  if (n_segments_) {
    add_ordered(sums);
  } else {
    unpack_fields(sums);
    add_plain();
  }
}

void BorderScores::unpack_fields(const std::int64_t* const* sums) {
  for (std::size_t word = 0; word < n_chunks_ * words_; ++word) {
    if (2 * word >= n_fields_) break;
    unpack(sums[word / words_] + word % words_, words_, n_bins_, field(2 * word + 1),
           field(2 * word));
  }
}

void BorderScores::add_plain() {
  const std::size_t weight = rule_.n_gradients;
  for (std::size_t k = 0; k < rule_.n_gradients; ++k) {
    plain_(field(k), field(weight), n_bins_, units_[k], units_[weight], regularization_,
           min_weight_, numerator_, denominator_);
  }
}

void BorderScores::add_ordered(const std::int64_t* const* sums) {
  const std::size_t n_outputs = rule_.n_outputs, weight = rule_.n_gradients;
  const bool one_slot = weight == n_outputs, cosine = rule_.kind == ScoreKind::cosine;
  const bool limited = rule_.min_weight > 0;
  if (all_at_once_) {
    (cosine ? add_eras_cosine : add_eras_l2)(sums, rule_.n_eras, n_bins_, regularization_,
                                             numerator_, denominator_);
    return;
  }
  const AddSegment add = segment_terms(cosine, limited);
  // Where the gradients are that make the body of a segment.
  const auto slot_of = [&](std::size_t segment) {
    return one_slot || segment == 0 ? 0 : n_segments_ - segment;
  };
  const std::size_t bytes = n_bins_ * sizeof(std::int32_t);
  for (Line& body : bodies_) std::memset(body.sums, 0, bytes);
  std::memset(body_weight_.sums, 0, bytes);
  std::memset(all_weight_.sums, 0, bytes);
  if (limited) {
    for (std::size_t era = 0; era < rule_.n_eras; ++era) {
      if (!sums[era * n_chunks_]) continue;
      unpack_fields(sums + era * n_chunks_);
      add_to(all_weight_.sums, field(weight), n_bins_);
    }
  }
  for (std::size_t era = 0; era < rule_.n_eras; ++era) {
    if (!sums[era * n_chunks_]) continue;
    unpack_fields(sums + era * n_chunks_);
    // The tail of segment era - 1, whose body are all eras before.
    if (era > 0 && body_weight_.sums[n_bins_ - 1] > 0) {
      const std::size_t slot = slot_of(era - 1);
      for (std::size_t k = 0; k < n_outputs; ++k) {
        const std::size_t body = slot * n_outputs + k;
        add(bodies_[body].sums, body_weight_.sums, field(k), field(weight), all_weight_.sums,
            n_bins_, {units_[body], units_[k], units_[weight], regularization_, min_weight_},
            numerator_, denominator_);
      }
    }
    if (era == n_segments_) break;
    add_to(body_weight_.sums, field(weight), n_bins_);
    // Slot 0 is the body of the first segment only, unless it is all there is.
    const std::size_t first = one_slot || era == 0 ? 0 : n_outputs;
    const std::size_t end = one_slot || era <= 1 ? weight : slot_of(era - 1) * n_outputs;
    for (std::size_t f = first; f < end; ++f) add_to(bodies_[f].sums, field(f), n_bins_);
  }
}

}  // namespace ocelot
