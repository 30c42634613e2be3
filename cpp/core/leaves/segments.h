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

// Weighted sums of gradient, hessian and weight over the leaves of every body: out
// [n_segments][n_leaves][3]. The leaves are those of the rows in their original order. raw are the
// predictions of segment 0, then of segment 1 and so on, each of body and tail.
void segment_sums(const Loss& loss, const SegmentedRows& rows, const LeafNumbers& leaves,
                  const double* raw, std::span<double> out, int n_threads);

// Adds values [n_segments][n_leaves] to the predictions of every segment. Returns the sum of the
// losses of all tails after it, and leaves their gradients in out_gradients, one per row.
double move_segments(const Loss& loss, const SegmentedRows& rows, const LeafNumbers& leaves,
                     const double* values, double* inout_raw, float* out_gradients, int n_threads);

}  // namespace ocelot
