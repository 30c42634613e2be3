// Rows sorted by leaf.
#pragma once

#include <span>

#include "quantize/block.h"

namespace ocelot {

// Splits every leaf in two: rows whose answer is no first, the others after them, each in their old
// order. Leaf l becomes leaves 2l and 2l + 1. Rows are sorted in place; scratch has room for as
// many.
//   leaf_offsets [n_leaves + 1]  ->  out_offsets [2 n_leaves + 1]
void split_leaves(const Question& question, std::span<const std::uint32_t> leaf_offsets,
                  std::uint32_t* rows, std::uint32_t* scratch, std::uint32_t* out_offsets,
                  int n_threads);

// Appends the answers to the questions to every row's leaf number: the first answer is the highest
// of the new bits.
void assign_leaves(std::span<const Question> questions, std::span<std::uint32_t> inout_leaves,
                   int n_threads);

// Row numbers sorted by leaf, in row order inside a leaf; out_offsets [n_leaves + 1].
void rows_by_leaf(std::span<const std::uint32_t> leaves, std::uint32_t* out_rows,
                  std::span<std::uint32_t> out_offsets, int n_threads);

// Copies slots [n_slots][n_rows] into one panel [n_rows][stride] of the histograms' layout.
void fill_panel(const std::uint8_t* slots, std::size_t n_slots, std::size_t n_rows,
                std::size_t stride, std::uint8_t* panel, int n_threads);

}  // namespace ocelot
