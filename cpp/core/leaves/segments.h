// Models of the segments of an ordering: each learns from its body, and is kept for body and tail.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "leaves/leaf_rows.h"
#include "leaves/step.h"
#include "loss/rows.h"

namespace ocelot {

// Rows stand era after era: entry i is about row rows[i]. Segment j has the body [0, edges[j]) and
// the tail [edges[j], edges[j + 1]).
struct SegmentedRows {
  std::span<const float> targets;
  Weights weights;
  const std::uint32_t* rows;             // as many as targets
  std::span<const std::uint32_t> edges;  // [n_segments + 1], the last is the number of rows

  std::size_t size() const { return targets.size(); }
  std::size_t n_segments() const { return edges.size() - 1; }
};

// Every segment's model takes one step with the leaf values of its body. The leaves are those of
// the rows in their original order. inout_raw are the predictions of segment 0, then of segment 1
// and so on, each of body and tail. Returns the sum of the losses of all tails after the step, and
// leaves their gradients in out_gradients, one per row.
double step_segments(const Loss& loss, const SegmentedRows& rows, const LeafNumbers& leaves,
                     const LeafStep& step, double* inout_raw, float* out_gradients, int n_threads);

}  // namespace ocelot
