// The best border of every column, from the histograms of all leaves.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ocelot {

enum class ScoreKind { l2 = 0, cosine = 1 };

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
// A slot with one column is left as running sums over its bins: those of siblings subtract just as
// well, and only the smaller one has to be summed up.
inline constexpr std::uint32_t no_histogram = 0xffffffff;

// For each column: the highest score over its borders and the bin of that border (rows with a
// greater bin go right). Fields of a bin are gradients of n_outputs outputs, then the weight; field
// f is an integer worth units[f]. A side that weighs less than min_weight earns nothing. Leaves are
// added up in the order of `scored`, one histogram each.
void score_columns(std::int64_t* histograms, std::size_t n_chunks, std::size_t n_histograms,
                   std::size_t n_slots, std::size_t words, const std::uint32_t* small,
                   const std::uint32_t* large, std::size_t n_fresh, const std::uint32_t* scored,
                   std::size_t n_scored, const ScoredColumns& columns, std::size_t n_outputs,
                   const double* units, double regularization, double min_weight, ScoreKind kind,
                   double* best_scores, std::uint8_t* best_bins, int n_threads);

}  // namespace ocelot
