#include "grow/level.h"

#include "grow/score.h"

namespace ocelot {

LevelCounts plan_level(const Cells& cells, const std::uint32_t* parents, std::size_t n_used,
                       const LevelPlan& out) {
  const auto size = [&](std::size_t cell) { return cells.size(cell); };
  LevelCounts counts{0, 0, 0};
  for (std::size_t cell = 0; cell < cells.count(); ++cell) {
    const std::size_t sibling = cell ^ 1;
    // Of two equal ones the first is the smaller.
    const bool smaller =
        parents && size(cell) > 0 && size(sibling) > 0 &&
        (cell < sibling ? size(cell) <= size(sibling) : size(cell) < size(sibling));
    const bool fresh = parents ? smaller : size(cell) > 0;
    const std::uint32_t large = parents ? parents[cell / 2] : no_histogram;
    const std::uint32_t own = !parents ? std::uint32_t(cell)
                              : fresh  ? std::uint32_t(n_used + counts.n_fresh)
                                       : large;
    out.of_cell[cell] = own;
    if (size(cell) == 0) continue;
    if (fresh) {
      out.small[counts.n_fresh] = own;
      out.large[counts.n_fresh++] = large;
    }
    out.begin[counts.n_filled] = cells.offsets[cell];
    out.end[counts.n_filled] = cells.offsets[cell + 1];
    out.histograms[counts.n_filled] = own;
    out.fresh[counts.n_filled++] = fresh;
  }
  const std::size_t n_leaves = cells.count() / cells.n_eras;
  const auto filled = [&](std::size_t leaf) {
    for (std::size_t era = 0; era < cells.n_eras; ++era) {
      if (size(era * n_leaves + leaf) > 0) return true;
    }
    return false;
  };
  for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) counts.n_scored += filled(leaf);
  std::size_t place = 0;
  for (std::size_t leaf = 0; leaf < n_leaves; ++leaf) {
    if (!filled(leaf)) continue;
    for (std::size_t era = 0; era < cells.n_eras; ++era) {
      const std::size_t cell = era * n_leaves + leaf;
      out.scored[era * counts.n_scored + place] = size(cell) > 0 ? out.of_cell[cell] : no_histogram;
    }
    ++place;
  }
  return counts;
}

}  // namespace ocelot
