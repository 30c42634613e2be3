// The best of all splits by target statistics.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ocelot {

// Combinations that a tree is offered. Those that share a statistic share its shelf.
struct OfferedCombinations {
  const std::uint32_t* shelves;
  const std::uint32_t* value_counts;
  const std::uint8_t* in_model;
  std::size_t count;
};

// A combination, a column of its statistic, and what the split gains, noise included.
struct StatisticChoice {
  std::size_t combination, column;
  double gain;
};

// The split with the highest gain over the score `before`; of equal ones the first. A combination
// that the model does not use yet gains less, or loses more, the more values it has.
//   scores  [n_shelves][n_columns]
//   noise   [offered.count][n_columns], or null
StatisticChoice choose_statistic(const double* scores, std::size_t n_columns,
                                 const OfferedCombinations& offered, const double* noise,
                                 double before, double model_size_reg);

}  // namespace ocelot
