// Arguments that both score functions take.
#pragma once

#include "arrays.h"
#include "grow/score.h"

namespace ocelot::bindings {

inline ScoredLeaves scored_leaves(const In<std::uint32_t, 2>& scored, std::size_t n_histograms) {
  for (std::size_t i = 0; i < scored.shape(0) * scored.shape(1); ++i) {
    require(scored.data()[i] < n_histograms || scored.data()[i] == no_histogram,
            "scored: no such histogram");
    require(scored.shape(0) > 1 || scored.data()[i] != no_histogram,
            "scored: a leaf without a histogram");
  }
  return {scored.data(), scored.shape(1)};
}

inline ScoreRule score_rule(bool cosine, std::size_t n_eras, std::size_t n_outputs,
                            const In<double, 1>& units, double regularization, double min_weight) {
  require(n_eras > 0, "scored: one line per era is needed");
  require(n_outputs > 0, "n_outputs: one at least");
  const std::size_t n_gradients = count_of_parts(units, "units: the weight's at least");
  require(n_gradients == n_outputs || n_gradients == n_outputs * (n_eras - 1),
          "units: one per output, or per output and segment, and the weight");
  const ScoreKind kind = cosine ? ScoreKind::cosine : ScoreKind::l2;
  return {kind, n_eras, n_outputs, n_gradients, units.data(), regularization, min_weight};
}

}  // namespace ocelot::bindings
