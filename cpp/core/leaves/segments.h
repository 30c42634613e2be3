// Models of the segments of an ordering: each learns from its body, and is kept for body and tail.
#pragma once

#include <cstddef>
#include <cstdint>

#include "leaves/leaf_step.h"
#include "loss/losses.h"

namespace ocelot {

// Rows stand era after era: entry i is about row rows[i]. Segment j has the body [0, edges[j]) and
// the tail [edges[j], edges[j + 1]).
struct SegmentedRows {
  const float* targets;  // [n_rows]
  const float* weights;  // [n_rows], or null for ones
  const std::uint32_t* rows;
  std::size_t n_rows;
  const std::uint32_t* edges;  // [n_segments + 1], the last is n_rows
  std::size_t n_segments;
};

// Every segment's model takes one step with the leaf values of its body. leaves [n_rows] are those
// of the rows as they come; raw are the predictions of segment 0, then of segment 1 and so on, each
// of body and tail. Returns the sum of the losses of all tails after it, and leaves their gradients
// in out_gradients [n_rows].
double step_segments(LossKind kind, double parameter, const SegmentedRows& rows,
                     const std::uint32_t* leaves, std::size_t n_leaves, const LeafStep& step,
                     double* raw, float* out_gradients, int n_threads);

}  // namespace ocelot
