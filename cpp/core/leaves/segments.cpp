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

// One ordering while its models take their step.
class SegmentStep {
 public:
  SegmentStep(const Loss& loss, const SegmentedRows& rows, const LeafNumbers& leaves, double* raw,
              int n_threads)
      : loss_(loss),
        rows_(rows),
        n_leaves_(leaves.n_leaves),
        raw_(raw),
        n_threads_(n_threads),
        leaves_(std::make_unique_for_overwrite<std::uint32_t[]>(rows.size())) {
    parallel_blocks(rows.size(), rows_per_task, n_threads,
                    [&](std::size_t begin, std::size_t end, std::size_t) {
                      for (std::size_t i = begin; i < end; ++i) {
                        leaves_[i] = leaves.of_row[rows.rows[i]];
                      }
                    });
  }

  // Leaf values of every body, [n_segments][n_leaves]. Sums of stretches are added up in order.
  std::vector<double> values(const LeafStep& step) const {
    const std::size_t size = 3 * n_leaves_;
    const std::vector<Stretch> bodies = stretches_of(rows_, stretch_length(size), false);
    std::vector<double> partial(bodies.size() * size, 0.0);
    parallel_for(bodies.size(), n_threads_, [&](std::size_t s) {
      sum_rows_by_leaf(loss_, rows_of(bodies[s]), leaves_.get() + bodies[s].begin, n_leaves_,
                       &partial[s * size]);
    });
    std::vector<double> sums(rows_.n_segments() * size, 0.0), values(sums.size() / 3);
    for (std::size_t s = 0; s < bodies.size(); ++s) {
      double* const out = &sums[bodies[s].segment * size];
      for (std::size_t i = 0; i < size; ++i) out[i] += partial[s * size + i];
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = step(sums[3 * i], sums[3 * i + 1], sums[3 * i + 2]);
    }
    return values;
  }

  // Adds them to the predictions; returns the losses of the tails, and leaves their gradients.
  double add(const std::vector<double>& values, float* out_gradients) const {
    const std::vector<Stretch> everybody = stretches_of(rows_, rows_per_task, true);
    std::vector<double> losses(everybody.size(), 0.0);
    parallel_for(everybody.size(), n_threads_, [&](std::size_t s) {
      const Stretch& own = everybody[s];
      add_values({leaves_.get() + own.begin, own.end - own.begin}, &values[own.segment * n_leaves_],
                 1, raw_ + own.raw_begin + own.begin);
      if (own.begin >= rows_.edges[own.segment]) {
        losses[s] = gradients_of_rows(loss_, rows_of(own), out_gradients + own.begin);
      }
    });
    return std::accumulate(losses.begin(), losses.end(), 0.0);
  }

 private:
  LossRows rows_of(const Stretch& own) const {
    const std::size_t count = own.end - own.begin;
    return {rows_.targets.subspan(own.begin, count),
            rows_.weights.from(own.begin),
            {raw_ + own.raw_begin + own.begin, count}};
  }

  const Loss& loss_;
  const SegmentedRows& rows_;
  std::size_t n_leaves_;
  double* raw_;
  int n_threads_;
  std::unique_ptr<std::uint32_t[]> leaves_;  // in the order of the rows
};

}  // namespace

double step_segments(const Loss& loss, const SegmentedRows& rows, const LeafNumbers& leaves,
                     const LeafStep& step, double* inout_raw, float* out_gradients, int n_threads) {
  const SegmentStep segments(loss, rows, leaves, inout_raw, n_threads);
  return segments.add(segments.values(step), out_gradients);
}

}  // namespace ocelot
