#include "grow/statistic_histogram.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "grow/addend.h"
#include "shared/multiversion.h"
#include "shared/pool.h"

namespace ocelot {
namespace {

// Bytes summed in one pass, and words per bin: their histograms of 256 bins together are at most
// 16 KiB, half of a first-level cache.
constexpr std::size_t most_words = 8;
constexpr std::size_t n_bins = 256;
// Below this number of rows, two sums of 16 bins are quicker than one of 256 and its two marginals.
constexpr std::size_t few_rows = 128;
// Up to this number of pages read addends where they are; for more it pays to bring them into order
// first.
constexpr std::size_t few_pages = 12;
constexpr std::size_t least_rows_per_piece = 8192;

// One byte of a row, for several pages: byte k of a row is first[k][row * stride].
struct Bytes {
  const std::uint8_t* first[most_words];
  std::size_t stride;
};

// Both halves of a byte count in one histogram of 256 bins. With pairs, bytes 2k and 2k + 1 lie
// side by side. Addends are in the order of `rows`, or where the rows are.
template <int n_bytes, int words, bool pairs, bool in_order>
OCELOT_INLINE void add_joint(const Bytes& bytes, const std::uint32_t* rows, std::size_t n_rows,
                             const std::int64_t* addends, std::int64_t* histogram) {
  using Words = typename Addend<words>::Type;
  const auto add = [&](std::size_t k, std::size_t bin, Words addend) {
    *reinterpret_cast<Words*>(histogram + (k * n_bins + bin) * words) += addend;
  };
  for (std::size_t i = 0; i < n_rows; ++i) {
    const std::size_t place = in_order ? i : std::size_t(rows[i]);
    const Words addend = *reinterpret_cast<const Words*>(addends + place * words);
    const std::size_t offset = rows[i] * bytes.stride;
    if constexpr (pairs) {
#pragma GCC unroll 4
      for (int k = 0; k < n_bytes; k += 2) {
        std::uint16_t both;
        std::memcpy(&both, bytes.first[k] + offset, 2);
        add(k, both & 255, addend);
        add(k + 1, both >> 8, addend);
      }
    } else {
#pragma GCC unroll 8
      for (int k = 0; k < n_bytes; ++k) add(k, bytes.first[k][offset], addend);
    }
  }
}

using AddRows = void (*)(const Bytes&, const std::uint32_t*, std::size_t, const std::int64_t*, bool,
                         std::int64_t*);

#define OCELOT_ADD_JOINT(name, n_bytes, words, pairs)                                            \
  OCELOT_HOT void name(const Bytes& bytes, const std::uint32_t* rows, std::size_t n_rows,        \
                       const std::int64_t* addends, bool in_order, std::int64_t* histogram) {    \
    in_order ? add_joint<n_bytes, words, pairs, true>(bytes, rows, n_rows, addends, histogram)   \
             : add_joint<n_bytes, words, pairs, false>(bytes, rows, n_rows, addends, histogram); \
  }
OCELOT_ADD_JOINT(add_8_paired, 8, 1, true)
OCELOT_ADD_JOINT(add_6_paired, 6, 1, true)
OCELOT_ADD_JOINT(add_4_paired, 4, 1, true)
OCELOT_ADD_JOINT(add_2_paired, 2, 1, true)
OCELOT_ADD_JOINT(add_1, 1, 1, false)
OCELOT_ADD_JOINT(add_4, 4, 1, false)
OCELOT_ADD_JOINT(add_4_of_2_words, 4, 2, false)
OCELOT_ADD_JOINT(add_1_of_2_words, 1, 2, false)
OCELOT_ADD_JOINT(add_2_of_4_words, 2, 4, false)
OCELOT_ADD_JOINT(add_1_of_4_words, 1, 4, false)
#undef OCELOT_ADD_JOINT

// The pass for the next bytes of `left`.
struct Pass {
  AddRows add;
  std::size_t n_bytes;
};

Pass next_pass(std::size_t left, std::size_t words, bool pairs) {
  if (words == 4) return left >= 2 ? Pass{add_2_of_4_words, 2} : Pass{add_1_of_4_words, 1};
  if (words == 2) return left >= 4 ? Pass{add_4_of_2_words, 4} : Pass{add_1_of_2_words, 1};
  if (!pairs) return left >= 4 ? Pass{add_4, 4} : Pass{add_1, 1};
  if (left >= 8) return {add_8_paired, 8};
  if (left >= 6) return {add_6_paired, 6};
  return left >= 4 ? Pass{add_4_paired, 4} : Pass{add_2_paired, 2};
}

// The sums of both halves of one byte: 16 bins by low half, 16 by high half.
template <int words>
OCELOT_INLINE void marginals_of(const std::int64_t* joint, std::int64_t* out) {
  using Words = typename Addend<words>::Type;
  using Four = Addend<4>::Type;
  for (std::size_t first = 0; first < 16 * words; first += 4) {
    Four sum{};
    for (std::size_t high = 0; high < 16; ++high) {
      sum += *reinterpret_cast<const Four*>(joint + high * 16 * words + first);
    }
    *reinterpret_cast<Four*>(out + first) = sum;
  }
  for (std::size_t high = 0; high < 16; ++high) {
    const Four* const own = reinterpret_cast<const Four*>(joint + high * 16 * words);
    Four four{};
#pragma GCC unroll 16
    for (int k = 0; k < 4 * words; ++k) four += own[k];
    Words sum{};
    for (int k = 0; k < 4 / words; ++k) {
      sum += *(reinterpret_cast<const Words*>(&four) + k);
    }
    *reinterpret_cast<Words*>(out + (16 + high) * words) = sum;
  }
}

OCELOT_HOT void marginals(const std::int64_t* joint, std::size_t words, std::int64_t* out) {
  if (words == 1) return marginals_of<1>(joint, out);
  if (words == 2) return marginals_of<2>(joint, out);
  marginals_of<4>(joint, out);
}

// The same without a joint histogram, for all bytes of one page. Rows lie apart, so the bytes of
// the page that comes next are asked for ahead.
template <int words, int fixed_bytes>
OCELOT_INLINE void add_halves_of(const std::uint8_t* page, const std::uint8_t* next_page,
                                 std::size_t n_bytes, const std::uint32_t* rows, std::size_t n_rows,
                                 const std::int64_t* addends, bool in_order, std::int64_t* out) {
  using Words = typename Addend<words>::Type;
  std::memset(out, 0, n_bytes * 32 * words * sizeof(std::int64_t));
  const auto add = [&](std::size_t bin, Words addend) {
    *reinterpret_cast<Words*>(out + bin * words) += addend;
  };
  const std::size_t width = fixed_bytes ? fixed_bytes : n_bytes;
  for (std::size_t i = 0; i < n_rows; ++i) {
    const std::size_t place = in_order ? i : std::size_t(rows[i]), offset = rows[i] * width;
    const Words addend = *reinterpret_cast<const Words*>(addends + place * words);
    __builtin_prefetch(next_page + offset);
    if constexpr (fixed_bytes == 2) {
      std::uint16_t both;
      std::memcpy(&both, page + offset, 2);
      for (std::size_t half = 0; half < 4; ++half) {
        add(half * 16 + (both >> half * 4 & 15), addend);
      }
    } else {
      for (std::size_t b = 0; b < width; ++b) {
        const std::uint8_t byte = page[offset + b];
        add(b * 32 + (byte & 15), addend);
        add(b * 32 + 16 + (byte >> 4), addend);
      }
    }
  }
}

template <int words>
void add_halves(const std::uint8_t* page, const std::uint8_t* next_page, std::size_t n_bytes,
                const std::uint32_t* rows, std::size_t n_rows, const std::int64_t* addends,
                bool in_order, std::int64_t* out) {
  (n_bytes == 2 ? add_halves_of<words, 2> : add_halves_of<words, 0>)(page, next_page, n_bytes, rows,
                                                                     n_rows, addends, in_order,
                                                                     out);
}

}  // namespace

// Some rows of a leaf, summed for a few pages.
struct SumTask {
  std::uint32_t leaf, begin, end;
  std::size_t chunk, first_page, end_page;
  bool whole;  // all rows of the leaf
};

StatisticSums::StatisticSums(const StatisticRows& rows, const StatisticHistograms& histograms,
                             int n_threads)
    : rows_(rows), histograms_(histograms) {
  const Leaves& leaves = rows.leaves;
  const std::size_t pages_per_task =
      std::max<std::size_t>(most_words / histograms.words / rows.statistics.n_bytes, 1);
  std::size_t n_rows = 0;
  for (std::uint32_t s = 0; s < leaves.count; ++s) n_rows += size_of(s);
  const std::size_t rows_per_piece = std::max(least_rows_per_piece, n_rows / (4 * n_threads));
  std::vector<SumTask> tasks;
  for (std::uint32_t s = 0; s < leaves.count; ++s) {
    const std::size_t n = size_of(s), first_page = first_page_of(s);
    if (n < few_rows) {
      few_.push_back(s);
      if (leaves.fresh[s]) few_fresh_.push_back(s);
      continue;
    }
    const bool cut = n_threads > 1 && n > rows_per_piece + rows_per_piece / 2;
    const std::size_t n_pieces = cut ? (n + rows_per_piece - 1) / rows_per_piece : 1;
    for (std::size_t p = 0; p < n_pieces; ++p) {
      const auto begin = std::uint32_t(leaves.begin[s] + n * p / n_pieces);
      const auto end = std::uint32_t(leaves.begin[s] + n * (p + 1) / n_pieces);
      for (std::size_t chunk = 0; chunk < histograms.n_chunks; ++chunk) {
        for (std::size_t page = first_page; page < rows.pages.size(); page += pages_per_task) {
          const std::size_t last = std::min(page + pages_per_task, rows.pages.size());
          tasks.push_back({s, begin, end, chunk, page, last, !cut});
        }
      }
    }
    if (cut) {
      for (std::size_t page = first_page; page < rows.pages.size(); ++page) {
        std::memset(histograms.at(page, leaves.target[s]), 0, histograms.size() * 8);
      }
    }
  }
  // The longest first, so that no thread is left alone with a long task at the end.
  std::stable_sort(tasks.begin(), tasks.end(), [](const SumTask& a, const SumTask& b) {
    return a.end - a.begin > b.end - b.begin;
  });
  put_in_order(n_rows < 4096 ? 1 : n_threads);
  parallel_for(tasks.size(), n_threads, [&](std::size_t t) { sum_many(tasks[t]); });
}

bool StatisticSums::is_in_order(std::uint32_t leaf) const {
  return rows_.pages.size() - first_page_of(leaf) > few_pages;
}

const std::int64_t* StatisticSums::addends_of(std::uint32_t leaf, std::size_t chunk,
                                              std::size_t begin) const {
  const std::size_t before = chunk * rows_.n_packed_rows;
  return is_in_order(leaf) ? rows_.scratch + (before + begin) * histograms_.words
                           : rows_.packed + before * histograms_.words;
}

const std::uint8_t* StatisticSums::bytes_of(std::size_t page) const {
  const StatisticPages& statistics = rows_.statistics;
  return statistics.bytes + rows_.pages[page] * statistics.n_rows * statistics.n_bytes;
}

void StatisticSums::put_in_order(int n_threads) const {
  const Leaves& leaves = rows_.leaves;
  const std::size_t words = histograms_.words;
  parallel_for(leaves.count, n_threads, [&](std::size_t s) {
    if (!is_in_order(std::uint32_t(s))) return;
    for (std::size_t chunk = 0; chunk < histograms_.n_chunks; ++chunk) {
      const std::int64_t* from = rows_.packed + chunk * rows_.n_packed_rows * words;
      std::int64_t* to = rows_.scratch + chunk * rows_.n_packed_rows * words;
      for (std::size_t i = leaves.begin[s]; i < leaves.end[s]; ++i) {
        for (std::size_t w = 0; w < words; ++w) {
          to[i * words + w] = from[rows_.rows[i] * words + w];
        }
      }
    }
  });
}

void StatisticSums::sum_many(const SumTask& task) const {
  const std::size_t words = histograms_.words, n_bytes = rows_.statistics.n_bytes;
  const std::size_t count = task.end - task.begin;
  const std::size_t all_bytes = (task.end_page - task.first_page) * n_bytes;
  const bool in_order = is_in_order(task.leaf);
  const std::int64_t* addends = addends_of(task.leaf, task.chunk, task.begin);
  alignas(64) std::int64_t joint[most_words * n_bins];
  alignas(64) std::int64_t halves[32 * 4];
  for (std::size_t k = 0; k < all_bytes;) {
    const Pass pass = next_pass(all_bytes - k, words, n_bytes % 2 == 0);
    Bytes bytes{{}, n_bytes};
    for (std::size_t b = 0; b < pass.n_bytes; ++b) {
      bytes.first[b] = bytes_of(task.first_page + (k + b) / n_bytes) + (k + b) % n_bytes;
    }
    std::memset(joint, 0, pass.n_bytes * n_bins * words * sizeof(std::int64_t));
    pass.add(bytes, rows_.rows + task.begin, count, addends, in_order, joint);
    for (std::size_t b = 0; b < pass.n_bytes; ++b, ++k) {
      std::int64_t* out =
          histograms_.at(task.first_page + k / n_bytes, rows_.leaves.target[task.leaf]) +
          (task.chunk * n_bytes + k % n_bytes) * 32 * words;
      if (task.whole) {
        marginals(joint + b * n_bins * words, words, out);
        continue;
      }
      // Integer sums do not depend on the order of adding.
      marginals(joint + b * n_bins * words, words, halves);
      for (std::size_t i = 0; i < 32 * words; ++i) {
        std::atomic_ref<std::int64_t>(out[i]).fetch_add(halves[i], std::memory_order_relaxed);
      }
    }
  }
}

void StatisticSums::sum_few(std::size_t page) const {
  const std::size_t words = histograms_.words, n_bytes = rows_.statistics.n_bytes;
  const auto add = words == 1 ? add_halves<1> : words == 2 ? add_halves<2> : add_halves<4>;
  const std::uint8_t* const own = bytes_of(page);
  const std::uint8_t* const next = page + 1 < rows_.pages.size() ? bytes_of(page + 1) : own;
  for (const std::uint32_t s : page < rows_.n_old ? few_fresh_ : few_) {
    const std::size_t begin = rows_.leaves.begin[s];
    std::int64_t* out = histograms_.at(page, rows_.leaves.target[s]);
    for (std::size_t chunk = 0; chunk < histograms_.n_chunks; ++chunk) {
      add(own, next, n_bytes, rows_.rows + begin, size_of(s), addends_of(s, chunk, begin),
          is_in_order(s), out + chunk * n_bytes * 32 * words);
    }
  }
}

void accumulate_statistics(const StatisticRows& rows, const StatisticHistograms& out,
                           int n_threads) {
  const StatisticSums sums(rows, out, n_threads);
  parallel_for(rows.pages.size(), n_threads, [&](std::size_t page) { sums.sum_few(page); });
}

}  // namespace ocelot
