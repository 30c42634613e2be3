// Questions about bins.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shared/views.h"

namespace ocelot {

// "Is row columns[q] of bins greater than split_bins[q]?"
struct Questions {
  const std::uint32_t* columns;
  const std::uint8_t* split_bins;
  std::size_t count;

  Questions from(std::size_t first, std::size_t n) const {
    return {columns + first, split_bins + first, n};
  }
};

// The answers for the first `count` rows of bins [n_columns][..], first question first, as the
// binary digits of one number per row.
template <class Answers>
OCELOT_INLINE void answer_in_turn(const Matrix<const std::uint8_t>& bins,
                                  const Questions& questions, std::size_t count, Answers* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = 0;
  for (std::size_t q = 0; q < questions.count; ++q) {
    const std::uint8_t* const column = bins[questions.columns[q]];
    const std::uint8_t bin = questions.split_bins[q];
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = Answers(out[i] + out[i] + (column[i] > bin ? 1 : 0));
    }
  }
}

}  // namespace ocelot
