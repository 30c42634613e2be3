#include "leaves/segments.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "leaves/sum_by_leaf.h"
#include "loss/loss_loops.h"
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
  std::size_t raw_begin =
      std::accumulate(rows.edges + 1, rows.edges + 1 + rows.n_segments, std::size_t{0});
  for (std::size_t j = rows.n_segments; j-- > 0;) {
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

}  // namespace

double step_segments(LossKind kind, double parameter, const SegmentedRows& rows,
                     const std::uint32_t* leaves, std::size_t n_leaves, const LeafStep& step,
                     double* raw, float* out_gradients, int n_threads) {
  const auto weights_from = [&](std::size_t i) {
    return rows.weights ? rows.weights + i : nullptr;
  };
  const auto own_leaves = std::make_unique_for_overwrite<std::uint32_t[]>(rows.n_rows);
  parallel_blocks(rows.n_rows, rows_per_task, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    for (std::size_t i = begin; i < end; ++i) {
                      own_leaves[i] = leaves[rows.rows[i]];
                    }
                  });

  // Sums over the leaves of every body. Stretches are added up in order.
  const std::size_t size = 3 * n_leaves;
  const std::vector<Stretch> bodies = stretches_of(rows, stretch_length(size), false);
  std::vector<double> partial(bodies.size() * size, 0.0);
  parallel_for(bodies.size(), n_threads, [&](std::size_t s) {
    const Stretch& own = bodies[s];
    sum_rows_by_leaf(kind, parameter, rows.targets + own.begin, weights_from(own.begin),
                     raw + own.raw_begin + own.begin, own_leaves.get() + own.begin,
                     own.end - own.begin, n_leaves, &partial[s * size]);
  });
  std::vector<double> sums(rows.n_segments * size, 0.0), values(rows.n_segments * n_leaves);
  for (std::size_t s = 0; s < bodies.size(); ++s) {
    double* const out = &sums[bodies[s].segment * size];
    for (std::size_t i = 0; i < size; ++i) out[i] += partial[s * size + i];
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = step(sums[3 * i], sums[3 * i + 1], sums[3 * i + 2]);
  }

  const std::vector<Stretch> everybody = stretches_of(rows, rows_per_task, true);
  std::vector<double> losses(everybody.size(), 0.0);
  parallel_for(everybody.size(), n_threads, [&](std::size_t s) {
    const Stretch& own = everybody[s];
    double* const predictions = raw + own.raw_begin;
    add_values(own_leaves.get() + own.begin, &values[own.segment * n_leaves], 1,
               own.end - own.begin, predictions + own.begin);
    if (own.begin >= rows.edges[own.segment]) {
      losses[s] = gradients_of_rows(kind, parameter, rows.targets + own.begin,
                                    weights_from(own.begin), predictions + own.begin,
                                    own.end - own.begin, out_gradients + own.begin);
    }
  });
  double loss = 0;
  for (const double part : losses) loss += part;
  return loss;
}

}  // namespace ocelot
