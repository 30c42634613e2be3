#include "statistic_score.h"

#include <algorithm>
#include <vector>

#include "pool.h"
#include "score_terms.h"

namespace ocelot {
namespace {

constexpr std::size_t n_bins = 16;

struct Fields {
  alignas(64) std::int32_t low[n_bins];
  alignas(64) std::int32_t high[n_bins];
};

// Sums up to each bin, of columns of 16 bins that follow each other.
void run_sums(std::int64_t* bins, std::size_t n_columns, std::size_t words) {
  for (std::size_t c = 0; c < n_columns; ++c) {
    std::int64_t* column = bins + c * n_bins * words;
    for (std::size_t i = words; i < n_bins * words; ++i) column[i] += column[i - words];
  }
}

}  // namespace

void score_statistics(const StatisticHistograms& histograms, std::size_t first_place,
                      std::size_t n_places, std::size_t n_old, std::size_t n_columns,
                      const std::uint32_t* small, const std::uint32_t* large, std::size_t n_fresh,
                      const std::uint32_t* scored, std::size_t n_scored, std::size_t n_outputs,
                      const double* units, double regularization, double min_weight, ScoreKind kind,
                      double* best_scores, std::uint8_t* best_bins, int n_threads) {
  const std::size_t n_chunks = histograms.n_chunks, words = histograms.words;
  const AddTerms add = terms_of(kind, min_weight > 0);
  const ScoreScale scale(units, n_outputs, kind);
  parallel_for(n_places, n_threads, [&](std::size_t p) {
    const std::size_t place = first_place + p;
    const std::size_t columns_to_run = n_chunks * histograms.n_bytes * 2;
    if (p < n_old) {
      for (std::size_t f = 0; f < n_fresh; ++f) {
        std::int64_t* fresh = histograms.at(place, small[f]);
        run_sums(fresh, columns_to_run, words);
        if (large[f] != no_histogram) {
          subtract(histograms.at(place, large[f]), fresh, histograms.size());
        }
      }
    } else {
      for (std::size_t leaf = 0; leaf < n_scored; ++leaf) {
        run_sums(histograms.at(place, scored[leaf]), columns_to_run, words);
      }
    }
    std::vector<Fields> fields(n_chunks * words);
    const auto field = [&](std::size_t f) {
      return f % 2 ? fields[f / 2].low : fields[f / 2].high;
    };
    for (std::size_t c = 0; c < n_columns; ++c) {
      alignas(64) float numerator[n_bins] = {}, denominator[n_bins] = {};
      for (std::size_t leaf = 0; leaf < n_scored; ++leaf) {
        const std::int64_t* histogram = histograms.at(place, scored[leaf]);
        for (std::size_t chunk = 0; chunk < n_chunks; ++chunk) {
          const std::int64_t* sums =
              histogram + (chunk * histograms.n_bytes * 2 + c) * n_bins * words;
          for (std::size_t w = 0; w < words; ++w) {
            Fields& out = fields[chunk * words + w];
            unpack(sums + w, words, n_bins, out.low, out.high);
          }
        }
        for (std::size_t k = 0; k < n_outputs; ++k) {
          add(field(k), field(n_outputs), n_bins, float(units[k] / scale.gradient),
              float(units[n_outputs] / scale.weight), float(regularization / scale.weight),
              float(min_weight / scale.weight), numerator, denominator);
        }
      }
      if (kind == ScoreKind::cosine) divide(numerator, denominator, n_bins - 1);
      const float* best = std::max_element(numerator, numerator + n_bins - 1);
      best_scores[p * n_columns + c] = double(*best) * scale.score;
      best_bins[p * n_columns + c] = std::uint8_t(best - numerator);
    }
  });
}

}  // namespace ocelot
