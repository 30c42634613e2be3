// The best border of every column, from the histograms of all leaves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "grow/histogram.h"

namespace ocelot {

enum class ScoreKind { l2 = 0, cosine = 1 };

// How borders are scored. Fields of a bin are n_gradients gradients, then the weight; field f is an
// integer worth units[f]. A side that weighs less than min_weight earns nothing.
//
// Plain: one era, and a gradient per output. Ordered: rows are divided into n_eras eras of an
// artificial time. Era 0 is the first body; era e is the tail of segment e - 1, whose body are all
// eras before. A row's gradients come in slots of n_outputs. Slot 0 are those at its own model,
// that of the segment which has the row in its tail (era 0: segment 0). If there are no others,
// bodies are sums of these. Otherwise, with C = n_eras - 1 segments, slot C - j > 0 are those at
// the model of segment j, for the rows of its body.
struct ScoreRule {
  ScoreKind kind;
  std::size_t n_eras, n_outputs;
  std::size_t n_gradients;
  const double* units;  // [n_gradients + 1]
  double regularization, min_weight;
};

// Histograms of the leaves to be scored, [n_eras][n_leaves]; no_histogram: no rows there. Leaves
// are added up in this order.
struct ScoredLeaves {
  const std::uint32_t* histograms;
  std::size_t n_leaves;
};

// Where the columns stand in the histograms and which may be chosen; arrays [n_columns].
//
// Columns of the same slot and shift are a bundle: they share the field, where bin b of a column is
// the value first + b. A row's value speaks of one of them; the bin of each other one is its
// default. So in the field's histogram a column lacks the rows of the others, which belong to its
// default bin: all rows minus those in its range.
struct ScoredColumns {
  std::span<const std::uint32_t> slots;
  std::span<const std::uint32_t> shifts;      // of the field inside the slot's byte
  std::span<const std::uint32_t> firsts;      // value of the field that is the column's bin 0
  std::span<const std::uint32_t> defaults;    // of no meaning for a column that has its own field
  std::span<const std::uint32_t> bin_counts;  // at most 256
  std::span<const std::uint8_t> candidates;   // 0: not to be chosen in this tree

  std::size_t count() const { return slots.size(); }
};

// Fresh histograms: small[p] was summed from rows just now, and large[p], its sibling's, still
// holds their parent; it becomes parent minus small. no_histogram in `large`: there is no sibling.
//
// Slots are left as running sums over the bins of their column; where several share a slot, of one
// after the other, the lowest bits first. Those of siblings subtract just as well, and only the
// smaller one has to be summed up.
inline constexpr std::uint32_t no_histogram = 0xffffffff;
struct FreshHistograms {
  std::span<const std::uint32_t> small, large;
};

// For each column: the highest score over its borders and the bin of that border (rows with a
// greater bin go right).
struct BestBorders {
  std::span<double> scores;
  std::span<std::uint8_t> bins;
};
void score_columns(const Histograms& inout, const FreshHistograms& fresh,
                   const ScoredLeaves& scored, const ScoredColumns& columns, const ScoreRule& rule,
                   const BestBorders& out, int n_threads);

// Is every field inside its slot's byte, apart from others, and every column inside its field?
bool fields_are_apart(const ScoredColumns& columns, std::size_t n_slots);

}  // namespace ocelot
