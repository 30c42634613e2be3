#include "lookup.h"

#include <algorithm>

#include "combination_key.h"
#include "multiversion.h"
#include "pool.h"

namespace ocelot {
namespace {

constexpr std::size_t block_size = 256;
constexpr std::size_t rows_per_task = 4096;

OCELOT_INLINE std::uint64_t bucket_of(std::uint64_t key, std::uint64_t n_buckets) {
  __extension__ typedef unsigned __int128 Wide;
  return std::uint64_t((Wide(key * golden_ratio) * n_buckets) >> 64);
}

typedef std::uint64_t Four __attribute__((vector_size(32), aligned(8), may_alias));
typedef std::uint64_t Two __attribute__((vector_size(16)));

struct Found {
  std::size_t slot;      // of the key in the bucket, or the last one
  std::uint64_t absent;  // 1 where the key is not in the bucket, else 0
};

struct TableOfKeys {
  const std::uint64_t* slot_keys;
  std::uint64_t n_buckets, vacant;

  // No branches, since no one can guess where a key lies or whether it is there.
  OCELOT_INLINE Found find_in_bucket(const std::uint64_t* bucket, std::uint64_t key) const {
    // A comparison is -1 where it holds. Numbers count back from the last slot; 8 is for presence.
    const Four* halves = reinterpret_cast<const Four*>(bucket);
    const Four wanted = Four{} + key;
    const Four matches = (Four(halves[0] == wanted) & Four{8 + 7, 8 + 6, 8 + 5, 8 + 4}) |
                         (Four(halves[1] == wanted) & Four{8 + 3, 8 + 2, 8 + 1, 8 + 0});
    const Two pair = Two{matches[0], matches[1]} | Two{matches[2], matches[3]};
    const std::uint64_t match = pair[0] | pair[1];
    // Vacant slots match their own key, several at a time; the table does not have it.
    std::uint64_t absent = (match < 8 ? 1 : 0) | (key == vacant ? 1 : 0);
    asm("" : "+r"(absent));  // or the compiler would make a branch of it
    return {(bucket_size - 1 - match % 8) | ((0 - absent) % bucket_size), absent};
  }

  // A key may be in the next bucket only if this one is full; slots fill up in order.
  OCELOT_INLINE std::uint64_t goes_on(const std::uint64_t* bucket, const Found& found) const {
    return found.absent & (bucket[bucket_size - 1] != vacant ? 1 : 0);
  }
};

// From the bucket of each key to its slot, or to a vacant one.
OCELOT_HOT void find_slots(const TableOfKeys& table, const std::uint64_t* keys, std::size_t count,
                           std::uint64_t* inout_places) {
  std::uint16_t waiting[block_size];
  std::size_t n_waiting = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t* own = table.slot_keys + inout_places[i] * bucket_size;
    const Found found = table.find_in_bucket(own, keys[i]);
    inout_places[i] = inout_places[i] * bucket_size + found.slot;
    waiting[n_waiting] = std::uint16_t(i);
    n_waiting += table.goes_on(own, found);
  }
  for (std::size_t w = 0; w < n_waiting; ++w) {
    const std::size_t i = waiting[w];
    std::uint64_t bucket = inout_places[i] / bucket_size;
    for (std::uint64_t tries = 1; tries < table.n_buckets; ++tries) {
      bucket = bucket + 1 == table.n_buckets ? 0 : bucket + 1;
      const std::uint64_t* keys_here = table.slot_keys + bucket * bucket_size;
      const Found found = table.find_in_bucket(keys_here, keys[i]);
      inout_places[i] = bucket * bucket_size + found.slot;
      if (!table.goes_on(keys_here, found)) break;
    }
  }
}

void join_hashes(std::uint64_t* keys, const std::uint64_t* hashes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) keys[i] = joined_key(keys[i], hashes[i]);
}

void keys_of_rows(const CategoryRows& rows, std::size_t table, std::size_t first, std::size_t count,
                  std::uint64_t* keys) {
  const std::uint32_t begin = rows.member_offsets[table], end = rows.member_offsets[table + 1];
  const std::uint64_t* hashes = rows.hashes + first;
  std::copy_n(hashes + rows.members[begin] * rows.n_rows, count, keys);
  for (std::uint32_t m = begin + 1; m < end; ++m) {
    join_hashes(keys, hashes + rows.members[m] * rows.n_rows, count);
  }
  if (rows.answer_rows[table] >= 0) {
    const std::uint32_t* answers =
        rows.answers + std::size_t(rows.answer_rows[table]) * rows.n_rows + first;
    for (std::size_t i = 0; i < count; ++i) {
      keys[i] = joined_key(keys[i], hash_of_answers(answers[i]));
    }
  }
}

// A few hundred rows in three steps, so that many cache lines are on their way at a time.
void look_up_block(const CategoryRows& rows, const TableOfKeys& table, std::size_t number,
                   const SlotBins& slot_bins, std::size_t first, std::size_t count,
                   std::uint8_t* out) {
  std::uint64_t keys[block_size], places[block_size];
  keys_of_rows(rows, number, first, count, keys);
  for (std::size_t i = 0; i < count; ++i) {
    places[i] = bucket_of(keys[i], table.n_buckets);
    __builtin_prefetch(table.slot_keys + places[i] * bucket_size);
  }
  const std::uint32_t begin = slot_bins.column_offsets[number];
  const std::size_t n_columns = slot_bins.column_offsets[number + 1] - begin;
  const std::uint8_t* bins = slot_bins.bins + slot_bins.bin_offsets[number];
  find_slots(table, keys, count, places);
  for (std::size_t i = 0; i < count; ++i) {
    places[i] *= n_columns;
    __builtin_prefetch(bins + places[i]);
  }
  for (std::size_t c = 0; c < n_columns; ++c) {
    std::uint8_t* column = out + slot_bins.targets[begin + c] * rows.n_rows + first;
    for (std::size_t i = 0; i < count; ++i) column[i] = bins[places[i] + c];
  }
}

OCELOT_HOT void answer_block(const std::uint8_t* bins, std::size_t n_rows,
                             const std::uint32_t* columns, const std::uint8_t* split_bins,
                             std::size_t n_questions, std::size_t count, std::uint32_t* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = 0;
  for (std::size_t q = 0; q < n_questions; ++q) {
    const std::uint8_t* column = bins + columns[q] * n_rows;
    const std::uint8_t bin = split_bins[q];
    for (std::size_t i = 0; i < count; ++i) out[i] = 2 * out[i] + (column[i] > bin ? 1 : 0);
  }
}

OCELOT_HOT void match_block(const std::uint64_t* hashes, std::uint64_t category, std::size_t count,
                            std::uint8_t* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = hashes[i] == category ? 1 : 0;
}

}  // namespace

void combination_keys(const std::uint64_t* hashes, std::size_t n_members, std::size_t n_rows,
                      std::uint64_t* out_keys, int n_threads) {
  parallel_blocks(n_rows, rows_per_task, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    std::copy(hashes + begin, hashes + end, out_keys + begin);
                    for (std::size_t m = 1; m < n_members; ++m) {
                      join_hashes(out_keys + begin, hashes + m * n_rows + begin, end - begin);
                    }
                  });
}

void index_keys(const std::uint64_t* keys, const std::uint64_t* entry_offsets, std::size_t n_tables,
                const std::uint64_t* bucket_offsets, std::uint64_t* out_slot_keys,
                std::uint64_t* out_vacant, std::uint32_t* out_slot_entries, int n_threads) {
  parallel_for(n_tables, n_threads, [&](std::size_t t) {
    const std::uint64_t begin = entry_offsets[t], end = entry_offsets[t + 1];
    const std::uint64_t n_buckets = bucket_offsets[t + 1] - bucket_offsets[t];
    std::uint64_t* slots = out_slot_keys + bucket_offsets[t] * bucket_size;
    std::uint32_t* entries = out_slot_entries + bucket_offsets[t] * bucket_size;
    std::uint64_t vacant = 0;
    for (std::uint64_t e = begin; e < end && keys[e] == vacant; ++e) ++vacant;
    std::fill_n(slots, n_buckets * bucket_size, vacant);
    std::fill_n(entries, n_buckets * bucket_size, std::uint32_t(end - begin));
    for (std::uint64_t e = begin; e < end; ++e) {
      std::uint64_t bucket = bucket_of(keys[e], n_buckets);
      while (slots[bucket * bucket_size + bucket_size - 1] != vacant) {
        bucket = bucket + 1 == n_buckets ? 0 : bucket + 1;
      }
      std::uint64_t slot = bucket * bucket_size;
      while (slots[slot] != vacant) ++slot;
      slots[slot] = keys[e];
      entries[slot] = std::uint32_t(e - begin);
    }
    out_vacant[t] = vacant;
  });
}

void look_up(const CategoryRows& rows, const KeyIndex& index, const SlotBins& slot_bins,
             std::uint8_t* out, int n_threads) {
  // Where tables are many a thread takes a whole one, and keeps it in its cache.
  const bool many = index.n_tables >= 4 * std::size_t(std::max(n_threads, 1));
  const std::size_t stretch = many ? std::max<std::size_t>(rows.n_rows, 1) : rows_per_task;
  const std::size_t n_stretches = (rows.n_rows + stretch - 1) / stretch;
  parallel_for(index.n_tables * n_stretches, n_threads, [&](std::size_t task) {
    const std::size_t t = task / n_stretches, begin = task % n_stretches * stretch;
    const std::size_t end = std::min(begin + stretch, rows.n_rows);
    const TableOfKeys table{index.slot_keys + index.bucket_offsets[t] * bucket_size,
                            index.bucket_offsets[t + 1] - index.bucket_offsets[t], index.vacant[t]};
    for (std::size_t first = begin; first < end; first += block_size) {
      look_up_block(rows, table, t, slot_bins, first, std::min(block_size, end - first), out);
    }
  });
}

void match_categories(const std::uint64_t* hashes, std::size_t n_rows, const std::uint32_t* sources,
                      const std::uint64_t* categories, const std::uint32_t* targets,
                      std::size_t n_indicators, std::uint8_t* out, int n_threads) {
  parallel_blocks(n_rows, rows_per_task, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    for (std::size_t k = 0; k < n_indicators; ++k) {
                      match_block(hashes + sources[k] * n_rows + begin, categories[k], end - begin,
                                  out + targets[k] * n_rows + begin);
                    }
                  });
}

void answer_questions(const std::uint8_t* bins, std::size_t n_rows, const QuestionLists& lists,
                      std::uint32_t* out, int n_threads) {
  parallel_blocks(
      n_rows, rows_per_task, n_threads, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t list = 0; list < lists.n_lists; ++list) {
          const std::uint32_t first = lists.offsets[list];
          answer_block(bins + begin, n_rows, lists.columns + first, lists.split_bins + first,
                       lists.offsets[list + 1] - first, end - begin, out + list * n_rows + begin);
        }
      });
}

}  // namespace ocelot
