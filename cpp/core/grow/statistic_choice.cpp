#include "grow/statistic_choice.h"

#include <algorithm>
#include <limits>

#include "shared/vector_math.h"

namespace ocelot {

StatisticChoice choose_statistic(const double* scores, std::size_t n_columns,
                                 const OfferedCombinations& offered, const double* noise,
                                 double before, double model_size_reg) {
  const double most_values =
      *std::max_element(offered.value_counts, offered.value_counts + offered.count);
  StatisticChoice best{0, 0, -std::numeric_limits<double>::infinity()};
  for (std::size_t i = 0; i < offered.count; ++i) {
    const double share = offered.value_counts[i] / most_values;
    const double worth = offered.in_model[i] ? 1 : vector_pow(1 + share, -model_size_reg);
    for (std::size_t c = 0; c < n_columns; ++c) {
      const double score = scores[offered.shelves[i] * n_columns + c];
      const double noisy = noise ? score + noise[i * n_columns + c] : score;
      const double plain = noisy - before;
      const double gain = plain < 0 ? plain / worth : plain * worth;
      if (gain > best.gain) best = {i, c, gain};
    }
  }
  return best;
}

}  // namespace ocelot
