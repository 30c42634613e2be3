// The best border of every column, from the histograms of all leaves.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ocelot {

enum class ScoreKind { l2 = 0, cosine = 1 };

// How borders are scored. Fields of a bin are n_gradients gradients, then the weight; field f is an
// integer worth units[f]. A side that weighs less than min_weight earns nothing.
//
// Plain: one era, and a gradient an output. Ordered: rows are divided into n_eras eras of an
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

// Where the columns stand in the histograms and which may be chosen.
struct ScoredColumns {
  const std::uint32_t* slots;       // [n_columns]
  const std::uint32_t* shifts;      // [n_columns] position inside the slot's byte
  const std::uint32_t* bin_counts;  // [n_columns]
  const std::uint8_t* candidates;   // [n_columns] 0: not to be chosen in this tree
  std::size_t n_columns;
};

// Fresh histograms: small[p] was summed from rows just now, and large[p], its sibling's, still
// holds their parent; it becomes parent minus small. no_histogram in `large`: there is no sibling.
//
// Slots are left as running sums over the bins of their column; where several share a slot, of one
// after the other, the lowest bits first. Those of siblings subtract just as well, and only the
// smaller one has to be summed up.
inline constexpr std::uint32_t no_histogram = 0xffffffff;

// For each column: the highest score over its borders and the bin of that border (rows with a
// greater bin go right).
void score_columns(std::int64_t* histograms, std::size_t n_chunks, std::size_t n_histograms,
                   std::size_t n_slots, std::size_t words, const std::uint32_t* small,
                   const std::uint32_t* large, std::size_t n_fresh, const ScoredLeaves& scored,
                   const ScoredColumns& columns, const ScoreRule& rule, double* best_scores,
                   std::uint8_t* best_bins, int n_threads);

}  // namespace ocelot
