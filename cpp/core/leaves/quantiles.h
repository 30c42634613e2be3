// Quantiles of the residuals of each leaf.
#pragma once

#include "leaves/leaf_rows.h"
#include "loss/rows.h"

namespace ocelot {

// The weighted alpha-quantile of target - raw in each leaf: the smallest residual at which the
// weight up to and including it reaches alpha of the whole. It is 0 in an empty leaf.
void leaf_quantiles(double alpha, const LossRows& rows, const RowsByLeaf& leaves,
                    const LeafResults& out, int n_threads);

}  // namespace ocelot
