// Gradients and weights as integers, two to a 64-bit word.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ocelot {

// gradients [n_outputs][n_rows], weights [n_rows] or null for ones. The fields of a row are its
// gradients times its weight, then its weight. Each field is divided by a unit, the smallest power
// of two for which no sum over any rows can leave 31 bits, and rounded; fields 2w and 2w + 1 are
// the high and low half of word w. out_packed is [n_chunks][n_rows][words], out_units
// [n_outputs + 1]. What comes i-th here goes to row rows[i] there; rows null: to row i.
//
// whole_weights says that the weights are whole numbers. They are then multiplied after rounding,
// so that a row of weight k sums to the same bits as k rows, if these are not too many. Where the
// unit is coarse, rounding is dithered by row number: it has no bias then.
void pack_gradients(const float* gradients, const float* weights, bool whole_weights,
                    const std::uint32_t* rows, std::size_t n_outputs, std::size_t n_rows,
                    std::size_t n_chunks, std::size_t words, std::int64_t* out_packed,
                    double* out_units, int n_threads);

}  // namespace ocelot
