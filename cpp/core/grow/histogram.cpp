#include "grow/histogram.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <vector>

#include "grow/addend.h"
#include "shared/multiversion.h"
#include "shared/pool.h"

namespace ocelot {
namespace {

// Long segments are cut so that each thread gets several tasks; each piece sums into its own
// buffer.
constexpr std::size_t tasks_per_thread = 8;
constexpr std::size_t least_rows_per_piece = 4096;
constexpr std::size_t words_per_block = 1024;
constexpr std::size_t groups_per_task = 4;
constexpr std::size_t n_bins = Histograms::n_bins;

template <int columns, int words>
OCELOT_INLINE void add_row(const std::uint8_t* row_bins, const std::int64_t* row_addends,
                           std::int64_t* histogram) {
  using Words = typename Addend<words>::Type;
  const Words addend = *reinterpret_cast<const Words*>(row_addends);
  constexpr int step = columns < 8 ? columns : 8;
  for (int first = 0; first < columns; first += step) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, row_bins + first, step);
#pragma GCC unroll 8
    for (int k = 0; k < step; ++k) {
      const std::size_t bin = (bytes >> (8 * k)) & 255;
      *reinterpret_cast<Words*>(histogram + ((first + k) * n_bins + bin) * words) += addend;
    }
  }
}

// One pass sums `columns` slots whose histograms together are at most 32 KiB, the size of a
// first-level cache: 16 slots of one word per bin, 8 of two, 4 of four.
template <int columns, int words>
OCELOT_INLINE void add_rows(const std::uint8_t* bins, std::size_t stride, const std::uint32_t* rows,
                            std::size_t n_rows, const std::int64_t* addends,
                            std::int64_t* histogram) {
  constexpr std::size_t distance = 16;
  // Rows that follow each other closely are fetched ahead by the processor itself.
  const bool sparse = rows[n_rows - 1] - rows[0] >= n_rows + n_rows / 2;
  std::size_t i = 0;
  if (sparse) {
    for (; i + distance < n_rows; ++i) {
      __builtin_prefetch(bins + rows[i + distance] * stride);
      add_row<columns, words>(bins + rows[i] * stride, addends + i * words, histogram);
    }
  }
  for (; i < n_rows; ++i) {
    add_row<columns, words>(bins + rows[i] * stride, addends + i * words, histogram);
  }
}

#define OCELOT_ADD_ROWS(name, columns, words)                                                      \
  OCELOT_HOT void name(const std::uint8_t* bins, std::size_t stride, const std::uint32_t* rows,    \
                       std::size_t n_rows, const std::int64_t* addends, std::int64_t* histogram) { \
    add_rows<columns, words>(bins, stride, rows, n_rows, addends, histogram);                      \
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
  if (words == 2)
    return width >= 8 ? Pass{add_8_columns_2_words, 8} : Pass{add_4_columns_2_words, 4};
  if (width == 16) return {add_16_columns_1_word, 16};
  return width == 8 ? Pass{add_8_columns_1_word, 8} : Pass{add_4_columns_1_word, 4};
}

void add_group(const std::uint8_t* bins, std::size_t width, std::size_t stride,
               const std::uint32_t* rows, std::size_t n_rows, const std::int64_t* addends,
               std::size_t words, std::int64_t* histogram) {
  const Pass pass = choose_pass(width, words);
  for (std::size_t column = 0; column < width; column += pass.columns) {
    pass.add(bins + column, stride, rows, n_rows, addends, histogram + column * n_bins * words);
  }
}

void gather(const std::int64_t* packed, std::size_t words, const std::uint32_t* rows,
            std::size_t n_rows, std::int64_t* out) {
  if (words == 1) {
    for (std::size_t i = 0; i < n_rows; ++i) out[i] = packed[rows[i]];
    return;
  }
  for (std::size_t i = 0; i < n_rows; ++i) {
    for (std::size_t w = 0; w < words; ++w) out[i * words + w] = packed[rows[i] * words + w];
  }
}

// Some rows of one segment, summed for a few groups of slots.
struct Task {
  std::uint32_t chunk, first_group, end_group, segment, begin, end;
  std::uint32_t merge;  // which merge it takes part in, or whole
};
constexpr std::uint32_t whole = 0xffffffff;

// Pieces of one segment are merged under a lock. Integer sums do not depend on the order.
struct Merge {
  std::atomic_flag lock = ATOMIC_FLAG_INIT;
  bool started = false;

  void add(const std::int64_t* sums, std::size_t size, std::int64_t* out) {
    while (lock.test_and_set(std::memory_order_acquire)) {
    }
    if (started) {
      for (std::size_t i = 0; i < size; ++i) out[i] += sums[i];
    } else {
      std::copy_n(sums, size, out);
      started = true;
    }
    lock.clear(std::memory_order_release);
  }
};

// Memory of this thread for `size` sums, beginning at a cache line.
std::int64_t* own_memory(std::size_t size) {
  struct alignas(64) Line {
    std::int64_t words[8];
  };
  static thread_local std::vector<Line> lines;
  if (lines.size() * 8 < size) lines.resize((size + 7) / 8);
  return lines.data()->words;
}

std::vector<Task> make_tasks(const Segments& segments, std::size_t n_chunks, std::size_t n_groups,
                             int n_threads, std::uint32_t& n_merges) {
  std::size_t n_rows = 0;
  for (std::size_t segment = 0; segment < segments.count(); ++segment) {
    n_rows += segments.size(segment);
  }
  const std::size_t share = n_chunks * n_rows * n_groups / (tasks_per_thread * n_threads);
  const std::size_t rows_per_piece =
      std::max(least_rows_per_piece, share / std::clamp<std::size_t>(n_groups, 1, groups_per_task));
  const std::size_t n_ranges = (n_groups + groups_per_task - 1) / groups_per_task;
  std::vector<Task> tasks;
  n_merges = 0;
  for (std::uint32_t segment = 0; segment < segments.count(); ++segment) {
    const std::size_t n = segments.size(segment);
    const std::uint32_t begin = segments.begin[segment];
    const bool cut = n_threads > 1 && n > rows_per_piece + rows_per_piece / 2;
    const std::size_t n_pieces = cut ? (n + rows_per_piece - 1) / rows_per_piece : 1;
    for (std::uint32_t chunk = 0; chunk < n_chunks; ++chunk) {
      for (std::size_t range = 0; range < n_ranges; ++range) {
        const auto group = std::uint32_t(n_groups * range / n_ranges);
        const auto end_group = std::uint32_t(n_groups * (range + 1) / n_ranges);
        const std::uint32_t merge = cut ? n_merges++ : whole;
        for (std::size_t p = 0; p < n_pieces; ++p) {
          tasks.push_back({chunk, group, end_group, segment,
                           begin + std::uint32_t(n * p / n_pieces),
                           begin + std::uint32_t(n * (p + 1) / n_pieces), merge});
        }
      }
    }
  }
  // The longest first, so that no thread is left alone with a long task at the end.
  const auto work = [](const Task& task) {
    return std::size_t(task.end - task.begin) * (task.end_group - task.first_group);
  };
  std::stable_sort(tasks.begin(), tasks.end(),
                   [&](const Task& a, const Task& b) { return work(a) > work(b); });
  return tasks;
}

}  // namespace

void accumulate_histograms(const Block& block, const RowWords& sources, const Segments& segments,
                           const Histograms& out, int n_threads) {
  const std::size_t words = out.words, slot_size = out.slot_size();
  std::vector<std::size_t> first_slot(block.n_groups() + 1, 0);
  for (std::size_t g = 0; g < block.n_groups(); ++g) {
    first_slot[g + 1] = first_slot[g] + block.group_widths[g];
  }
  std::uint32_t n_merges;
  const std::vector<Task> tasks =
      make_tasks(segments, out.n_chunks, block.n_groups(), n_threads, n_merges);
  const auto merges = std::make_unique<Merge[]>(n_merges);
  parallel_for(tasks.size(), n_threads, [&](std::size_t t) {
    const Task& task = tasks[t];
    const std::size_t task_slot = first_slot[task.first_group];
    const std::size_t size = (first_slot[task.end_group] - task_slot) * slot_size;
    std::int64_t* const target = out.at(task.chunk, segments.target[task.segment], task_slot);
    std::int64_t* const sums = task.merge == whole ? target : own_memory(size);
    std::memset(sums, 0, size * sizeof(std::int64_t));
    // Gradients of a block of rows are gathered once for all groups of the task.
    alignas(64) std::int64_t addends[words_per_block];
    const std::size_t block_rows = words_per_block / words;
    const std::int64_t* const packed = sources.packed + task.chunk * sources.n_rows * words;
    for (std::size_t first = task.begin; first < task.end; first += block_rows) {
      const std::size_t count = std::min<std::size_t>(block_rows, task.end - first);
      const std::uint32_t* const rows = segments.rows.data() + first;
      gather(packed, words, rows, count, addends);
      for (std::size_t g = task.first_group; g < task.end_group; ++g) {
        add_group(block.bins.data() + block.group_offsets[g], block.group_widths[g],
                  block.group_strides[g], rows, count, addends, words,
                  sums + (first_slot[g] - task_slot) * slot_size);
      }
    }
    if (task.merge != whole) merges[task.merge].add(sums, size, target);
  });
}

}  // namespace ocelot
