#include "leaves/segments.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "leaves/sum_by_leaf.h"
#include "loss/derivatives.h"
#include "shared/pool.h"

namespace ocelot {
namespace {

constexpr std::size_t rows_per_task = 2048;

// Some rows of a segment; raw_begin is where its predictions stand among those of all segments.
struct Stretch {
  std::size_t segment, begin, end, raw_begin;
};

// All segments, cut into stretches of at most `length` rows: of the bodies, or of body and tail.
// None reaches from a body into a tail. The longest segments, which are the last, come first, so
// that no thread is left alone with a long stretch at the end.
std::vector<Stretch> stretches_of(const SegmentedRows& rows, std::size_t length, bool with_tails) {
  std::vector<Stretch> stretches;
  std::size_t raw_begin = std::accumulate(rows.edges.begin() + 1, rows.edges.end(), std::size_t{0});
  for (std::size_t j = rows.n_segments(); j-- > 0;) {
    const std::size_t body = rows.edges[j], end = rows.edges[j + 1];
    raw_begin -= end;
    const auto cut = [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; i += length) {
        stretches.push_back({j, i, std::min(i + length, to), raw_begin});
      }
    };
    if (with_tails) cut(body, end);
    cut(0, body);
  }
  return stretches;
}

// The leaves of the rows as they stand.
std::unique_ptr<std::uint32_t[]> gather(const SegmentedRows& rows, const LeafNumbers& leaves,
                                        int n_threads) {
  auto own = std::make_unique_for_overwrite<std::uint32_t[]>(rows.size());
  parallel_blocks(rows.size(), rows_per_task, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    for (std::size_t i = begin; i < end; ++i) {
                      own[i] = leaves.of_row[rows.rows[i]];
                    }
                  });
  return own;
}

LossRows rows_of(const SegmentedRows& rows, const double* raw, const Stretch& own) {
  const std::size_t count = own.end - own.begin;
  return {rows.targets.subspan(own.begin, count),
          rows.weights.from(own.begin),
          {raw + own.raw_begin + own.begin, count}};
}

}  // namespace

void segment_sums(const Loss& loss, const SegmentedRows& rows, const LeafNumbers& leaves,
                  const double* raw, std::span<double> out, int n_threads) {
  const auto own_leaves = gather(rows, leaves, n_threads);
  const std::size_t size = 3 * leaves.n_leaves;
  const std::vector<Stretch> bodies = stretches_of(rows, stretch_length(size), false);
  std::vector<double> partial(bodies.size() * size, 0.0);
  parallel_for(bodies.size(), n_threads, [&](std::size_t s) {
    sum_rows_by_leaf(loss, rows_of(rows, raw, bodies[s]), own_leaves.get() + bodies[s].begin,
                     leaves.n_leaves, &partial[s * size]);
  });
  // Sums of stretches are added up in order.
  std::fill(out.begin(), out.end(), 0.0);
  for (std::size_t s = 0; s < bodies.size(); ++s) {
    double* const own = &out[bodies[s].segment * size];
    for (std::size_t i = 0; i < size; ++i) own[i] += partial[s * size + i];
  }
}

double move_segments(const Loss& loss, const SegmentedRows& rows, const LeafNumbers& leaves,
                     const double* values, double* inout_raw, float* out_gradients, int n_threads) {
  const auto own_leaves = gather(rows, leaves, n_threads);
  const std::vector<Stretch> everybody = stretches_of(rows, rows_per_task, true);
  std::vector<double> losses(everybody.size(), 0.0);
  parallel_for(everybody.size(), n_threads, [&](std::size_t s) {
    const Stretch& own = everybody[s];
    add_values({own_leaves.get() + own.begin, own.end - own.begin},
               values + own.segment * leaves.n_leaves, 1, inout_raw + own.raw_begin + own.begin);
    if (own.begin >= rows.edges[own.segment]) {
      losses[s] = gradients_of_rows(loss, rows_of(rows, inout_raw, own), out_gradients + own.begin);
    }
  });
  return std::accumulate(losses.begin(), losses.end(), 0.0);
}

}  // namespace ocelot
