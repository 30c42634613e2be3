// Which cells of a level are summed from their rows, and into which histograms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ocelot {

// A cell is a leaf and an era; the leaves of era 0 come first. Cells 2c and 2c + 1 are what became
// of cell c of the level before. offsets [n_cells + 1] are their rows.
struct Cells {
  std::span<const std::uint32_t> offsets;
  std::size_t n_eras;

  std::size_t count() const { return offsets.size() - 1; }
  std::uint32_t size(std::size_t cell) const { return offsets[cell + 1] - offsets[cell]; }
};

// Arrays as long as there are cells.
struct LevelPlan {
  std::span<std::uint32_t> of_cell;       // histogram of every cell
  std::span<std::uint32_t> begin, end;    // rows of the cells that have any,
  std::span<std::uint32_t> histograms;    // their histograms,
  std::span<std::uint8_t> fresh;          // and whether they are summed from rows
  std::span<std::uint32_t> small, large;  // histograms of the fresh cells, and of their siblings
  std::span<std::uint32_t> scored;        // [n_eras][n_scored] of the leaves with rows in any era
};

struct LevelCounts {
  std::size_t n_filled, n_fresh, n_scored;
};

// Of two siblings that both have rows the smaller is fresh, and takes the next of the histograms
// from n_used on; the other keeps that of its parent, parents [n_cells / 2]. With null parents all
// cells with rows are fresh, and each has the histogram of its own number.
LevelCounts plan_level(const Cells& cells, const std::uint32_t* parents, std::size_t n_used,
                       const LevelPlan& out);

}  // namespace ocelot
