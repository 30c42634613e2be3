#include "histogram.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <vector>

#include "multiversion.h"
#include "pool.h"

namespace ocelot {
namespace {

// Longer segments are cut so that threads share them; each piece then sums into its own buffer.
constexpr std::size_t rows_per_piece = 32768;
constexpr std::size_t n_bins = 256;

// One pass sums `columns` slots whose histograms together are at most 32 KiB, the size of a
// first-level cache: 16 slots of one word a bin, 8 of two, 4 of four.
template <int columns, int words>
OCELOT_INLINE void add_rows(const std::uint8_t* bins, std::size_t stride,
                            const std::uint32_t* rows, std::size_t n_rows,
                            const std::int64_t* packed, std::int64_t* histogram) {
  typedef std::int64_t Words __attribute__((vector_size(words * 8), aligned(8), may_alias));
  constexpr std::size_t prefetch_distance = 24;
  for (std::size_t i = 0; i < n_rows; ++i) {
    const std::size_t row = rows[i];
    // Reading past the end of the segment would need a check in the loop; clamping is free.
    const std::size_t ahead = rows[std::min(i + prefetch_distance, n_rows - 1)];
    __builtin_prefetch(bins + ahead * stride);
    __builtin_prefetch(packed + ahead * words);
    const Words addend = *reinterpret_cast<const Words*>(packed + row * words);
    const std::uint8_t* row_bins = bins + row * stride;
    for (int first = 0; first < columns; first += 4) {
      std::uint32_t four;
      std::memcpy(&four, row_bins + first, 4);
      for (int k = 0; k < 4; ++k) {
        const std::size_t bin = (four >> (8 * k)) & 255;
        *reinterpret_cast<Words*>(histogram + ((first + k) * n_bins + bin) * words) += addend;
      }
    }
  }
}

#define OCELOT_ADD_ROWS(name, columns, words)                                                  \
  OCELOT_HOT void name(const std::uint8_t* bins, std::size_t stride, const std::uint32_t* rows, \
                       std::size_t n_rows, const std::int64_t* packed, std::int64_t* histogram) { \
    add_rows<columns, words>(bins, stride, rows, n_rows, packed, histogram);                    \
  }
OCELOT_ADD_ROWS(add_16_columns_1_word, 16, 1)
OCELOT_ADD_ROWS(add_8_columns_1_word, 8, 1)
OCELOT_ADD_ROWS(add_4_columns_1_word, 4, 1)
OCELOT_ADD_ROWS(add_8_columns_2_words, 8, 2)
OCELOT_ADD_ROWS(add_4_columns_2_words, 4, 2)
OCELOT_ADD_ROWS(add_4_columns_4_words, 4, 4)
#undef OCELOT_ADD_ROWS

using AddRows = void (*)(const std::uint8_t*, std::size_t, const std::uint32_t*, std::size_t,
                         const std::int64_t*, std::int64_t*);

struct Pass {
  AddRows add;
  std::size_t columns;
};

Pass choose_pass(std::size_t width, std::size_t words) {
  if (words == 4) return {add_4_columns_4_words, 4};
  if (words == 2) return width >= 8 ? Pass{add_8_columns_2_words, 8} : Pass{add_4_columns_2_words, 4};
  if (width == 16) return {add_16_columns_1_word, 16};
  return width == 8 ? Pass{add_8_columns_1_word, 8} : Pass{add_4_columns_1_word, 4};
}

void add_group(const std::uint8_t* bins, std::size_t width, const std::uint32_t* rows,
               std::size_t n_rows, const std::int64_t* packed, std::size_t words,
               std::int64_t* histogram) {
  if (n_rows == 0) return;
  const Pass pass = choose_pass(width, words);
  for (std::size_t column = 0; column < width; column += pass.columns) {
    pass.add(bins + column, width, rows, n_rows, packed, histogram + column * n_bins * words);
  }
}

struct Task {
  std::uint32_t chunk, group, segment, begin, end;
  std::uint32_t shared;  // number of the merge lock, or whole
};
constexpr std::uint32_t whole = 0xffffffff;

// Pieces of one (chunk, group, segment) are merged under a lock. Integer sums do not depend on the
// order of merging.
struct Merge {
  std::atomic_flag lock = ATOMIC_FLAG_INIT;
  bool started = false;
};

}  // namespace

void accumulate_histograms(const Block& block, const std::uint32_t* rows,
                           const std::int64_t* packed, std::size_t n_chunks, std::size_t words,
                           std::size_t n_packed_rows, const std::uint32_t* begin,
                           const std::uint32_t* end, const std::uint32_t* target,
                           std::size_t n_segments, std::size_t n_histograms, std::size_t n_slots,
                           std::int64_t* histograms, int n_threads) {
  std::vector<std::size_t> first_slot(block.n_groups + 1, 0);
  for (std::size_t g = 0; g < block.n_groups; ++g) {
    first_slot[g + 1] = first_slot[g] + block.group_widths[g];
  }
  std::vector<Task> tasks;
  std::uint32_t n_merges = 0;
  for (std::size_t segment = 0; segment < n_segments; ++segment) {
    const std::uint32_t n = end[segment] - begin[segment];
    const bool cut = n_threads > 1 && n > rows_per_piece + rows_per_piece / 2;
    for (std::uint32_t chunk = 0; chunk < n_chunks; ++chunk) {
      for (std::uint32_t g = 0; g < block.n_groups; ++g) {
        if (!cut) {
          tasks.push_back({chunk, g, std::uint32_t(segment), begin[segment], end[segment], whole});
          continue;
        }
        const std::size_t n_pieces = (n + rows_per_piece - 1) / rows_per_piece;
        for (std::size_t p = 0; p < n_pieces; ++p) {
          tasks.push_back({chunk, g, std::uint32_t(segment),
                           begin[segment] + std::uint32_t(n * p / n_pieces),
                           begin[segment] + std::uint32_t(n * (p + 1) / n_pieces), n_merges});
        }
        ++n_merges;
      }
    }
  }
  // The longest first, so that no thread is left alone with a long task at the end.
  std::stable_sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) {
    return a.end - a.begin > b.end - b.begin;
  });
  const auto merges = std::make_unique<Merge[]>(n_merges);
  parallel_for(tasks.size(), n_threads, [&](std::size_t t) {
    const Task& task = tasks[t];
    const std::size_t width = block.group_widths[task.group];
    const std::size_t size = width * n_bins * words;
    std::int64_t* out =
        histograms + (((task.chunk * n_histograms + target[task.segment]) * n_slots) +
                      first_slot[task.group]) *
                         n_bins * words;
    const std::uint8_t* bins = block.bins + block.group_offsets[task.group];
    const std::int64_t* addends = packed + task.chunk * n_packed_rows * words;
    const std::uint32_t* first_row = rows + task.begin;
    const std::size_t n_rows = task.end - task.begin;
    if (task.shared == whole) {
      std::memset(out, 0, size * sizeof(std::int64_t));
      add_group(bins, width, first_row, n_rows, addends, words, out);
      return;
    }
    alignas(64) static thread_local std::int64_t own[16 * n_bins * 4];
    std::memset(own, 0, size * sizeof(std::int64_t));
    add_group(bins, width, first_row, n_rows, addends, words, own);
    Merge& merge = merges[task.shared];
    while (merge.lock.test_and_set(std::memory_order_acquire)) {
    }
    if (merge.started) {
      for (std::size_t i = 0; i < size; ++i) out[i] += own[i];
    } else {
      std::memcpy(out, own, size * sizeof(std::int64_t));
      merge.started = true;
    }
    merge.lock.clear(std::memory_order_release);
  });
}

}  // namespace ocelot
