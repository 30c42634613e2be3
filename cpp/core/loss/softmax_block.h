// Softmax of a block of rows.
#pragma once

#include <cstddef>

#include "shared/vector_math.h"

namespace ocelot {

inline constexpr std::size_t softmax_block_size = 128;

// Turns raw predictions [n_outputs][softmax_block_size] of count rows into probabilities in place,
// and writes the logarithm of each row's sum of exponentials.
void softmax_block(double* values, std::size_t n_outputs, std::size_t count, double* log_sums);

}  // namespace ocelot
