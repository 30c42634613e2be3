#include "predict/lookup.h"

#include <algorithm>

#include "shared/multiversion.h"
#include "shared/pool.h"

namespace ocelot {
namespace {

constexpr std::size_t block_size = 256;
constexpr std::size_t rows_per_task = 4096;
constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15;  // 2^64 / 1.618...

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
  std::uint64_t n_buckets, vacant, n_ascending;

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
    for (std::size_t tries = 1; tries < most_buckets; ++tries) {
      bucket = bucket + 1 == table.n_buckets ? 0 : bucket + 1;
      const std::uint64_t* keys_here = table.slot_keys + bucket * bucket_size;
      const Found found = table.find_in_bucket(keys_here, keys[i]);
      inout_places[i] = bucket * bucket_size + found.slot;
      if (!table.goes_on(keys_here, found)) break;
    }
  }
}

// The same where keys ascend: the last bucket that begins at or below the key has it, or none. The
// last slot of the table is always vacant.
void find_by_halving(const TableOfKeys& table, const std::uint64_t* keys, std::size_t count,
                     std::uint64_t* out_places) {
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t bucket = 0, n_left = table.n_ascending;
    while (n_left > 1) {
      const std::uint64_t half = n_left / 2;
      if (table.slot_keys[(bucket + half) * bucket_size] <= keys[i]) bucket += half;
      n_left -= half;
    }
    const Found found = table.find_in_bucket(table.slot_keys + bucket * bucket_size, keys[i]);
    out_places[i] = (found.absent ? table.n_buckets - 1 : bucket) * bucket_size + found.slot;
  }
}

// The members of a combination: rows of hashes, and perhaps answers that count as one more.
struct Members {
  const std::uint64_t* hashes;  // from the first row of interest
  std::size_t n_rows;           // from one member to the next
  const std::uint32_t* places;  // [n] or null: all in order
  std::size_t n;
  const std::uint32_t* answers;  // or null

  OCELOT_INLINE const std::uint64_t* member(std::size_t m) const {
    return hashes + (places ? places[m] : m) * n_rows;
  }
  std::uint64_t n_bytes() const { return 8 * (n + (answers ? 1 : 0)); }
};

OCELOT_HOT void hash_members(const Members& members, HashKey key, std::size_t count,
                             std::uint64_t* out_keys) {
  const std::uint64_t n_bytes = members.n_bytes();
  const auto four_at = [](const std::uint64_t* words) {
    return *reinterpret_cast<const Four*>(words);
  };
  const auto answers_at = [&](std::size_t i) {
    return Four{members.answers[i], members.answers[i + 1], members.answers[i + 2],
                members.answers[i + 3]};
  };
  // Two vectors of four, because each round waits for the one before.
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    CategoryHash<Four> first(key), second(key);
    for (std::size_t m = 0; m < members.n; ++m) {
      first.add(four_at(members.member(m) + i));
      second.add(four_at(members.member(m) + i + 4));
    }
    if (members.answers) {
      first.add(answers_at(i));
      second.add(answers_at(i + 4));
    }
    *reinterpret_cast<Four*>(out_keys + i) = first.finish(Four{}, n_bytes);
    *reinterpret_cast<Four*>(out_keys + i + 4) = second.finish(Four{}, n_bytes);
  }
  for (; i < count; ++i) {
    CategoryHash<std::uint64_t> hash(key);
    for (std::size_t m = 0; m < members.n; ++m) hash.add(members.member(m)[i]);
    if (members.answers) hash.add(members.answers[i]);
    out_keys[i] = hash.finish(0, n_bytes);
  }
}

void keys_of_members(const Members& members, HashKey key, std::size_t count,
                     std::uint64_t* out_keys) {
  if (members.n == 1 && !members.answers) {
    std::copy_n(members.member(0), count, out_keys);
  } else {
    hash_members(members, key, count, out_keys);
  }
}

void keys_of_rows(const CategoryRows& rows, std::size_t table, std::size_t first, std::size_t count,
                  std::uint64_t* keys) {
  const std::uint32_t begin = rows.member_offsets[table], end = rows.member_offsets[table + 1];
  const std::int32_t answer_row = rows.answer_rows[table];
  const std::uint32_t* answers =
      answer_row < 0 ? nullptr : rows.answers + std::size_t(answer_row) * rows.n_rows + first;
  keys_of_members({rows.hashes + first, rows.n_rows, rows.members + begin, end - begin, answers},
                  rows.key, count, keys);
}

// A few hundred rows in three steps, so that many cache lines are on their way at a time.
void look_up_block(const CategoryRows& rows, const TableOfKeys& table, std::size_t number,
                   const SlotBins& slot_bins, std::size_t first, std::size_t count,
                   std::uint8_t* out) {
  std::uint64_t keys[block_size], places[block_size];
  keys_of_rows(rows, number, first, count, keys);
  if (table.n_ascending > 0) {
    find_by_halving(table, keys, count, places);
  } else {
    for (std::size_t i = 0; i < count; ++i) {
      places[i] = bucket_of(keys[i], table.n_buckets);
      __builtin_prefetch(table.slot_keys + places[i] * bucket_size);
    }
    find_slots(table, keys, count, places);
  }
  const std::uint32_t begin = slot_bins.column_offsets[number];
  const std::size_t n_columns = slot_bins.column_offsets[number + 1] - begin;
  const std::uint8_t* bins = slot_bins.bins + slot_bins.bin_offsets[number];
  for (std::size_t i = 0; i < count; ++i) {
    places[i] *= n_columns;
    __builtin_prefetch(bins + places[i]);
  }
  for (std::size_t c = 0; c < n_columns; ++c) {
    std::uint8_t* column = out + slot_bins.out_rows[begin + c] * rows.n_rows + first;
    for (std::size_t i = 0; i < count; ++i) column[i] = bins[places[i] + c];
  }
}

OCELOT_HOT void answer_block(const Matrix<const std::uint8_t>& bins, const Questions& questions,
                             std::size_t count, std::uint32_t* out) {
  answer_in_turn(bins, questions, count, out);
}

OCELOT_HOT void match_block(const std::uint64_t* hashes, std::uint64_t category, std::size_t count,
                            std::uint8_t* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = hashes[i] == category ? 1 : 0;
}

// The smallest number that is not among some keys, which ascend.
std::uint64_t first_absent(const std::uint64_t* keys, std::size_t n) {
  std::uint64_t absent = 0;
  for (std::size_t i = 0; i < n && keys[i] == absent; ++i) ++absent;
  return absent;
}

// The slots of a table while it is filled.
struct SlotsOfTable {
  std::uint64_t* keys;
  std::uint32_t* entries;
  std::uint64_t n_buckets, vacant;

  void clear(std::uint64_t n_entries) const {
    std::fill_n(keys, n_buckets * bucket_size, vacant);
    std::fill_n(entries, n_buckets * bucket_size, std::uint32_t(n_entries));
  }

  void set(std::uint64_t slot, std::uint64_t key, std::uint64_t entry) const {
    keys[slot] = key;
    entries[slot] = std::uint32_t(entry);
  }

  // False: most_buckets were full.
  bool put(std::uint64_t key, std::uint64_t entry) const {
    std::uint64_t bucket = bucket_of(key, n_buckets);
    for (std::size_t tries = 0; tries < most_buckets; ++tries) {
      std::uint64_t slot = bucket * bucket_size;
      if (keys[slot + bucket_size - 1] == vacant) {
        while (keys[slot] != vacant) ++slot;
        set(slot, key, entry);
        return true;
      }
      bucket = bucket + 1 == n_buckets ? 0 : bucket + 1;
    }
    return false;
  }

  // Whether every search, of a key that is there or of any other, ends within most_buckets.
  bool searches_are_short() const {
    std::size_t n_full = 0;  // in a row, round the table
    for (std::uint64_t i = 0; i < n_buckets + most_buckets && n_full < most_buckets; ++i) {
      n_full = keys[(i % n_buckets + 1) * bucket_size - 1] == vacant ? 0 : n_full + 1;
    }
    return n_full < most_buckets;
  }
};

}  // namespace

void combination_keys(const Matrix<const std::uint64_t>& hashes, HashKey key,
                      std::uint64_t* out_keys, int n_threads) {
  const std::size_t n_rows = hashes.stride;
  parallel_blocks(n_rows, rows_per_task, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    const Members all{hashes[0] + begin, n_rows, nullptr, hashes.n_lines, nullptr};
                    keys_of_members(all, key, end - begin, out_keys + begin);
                  });
}

void index_keys(const KeysOfTables& tables, const FilledIndex& out, int n_threads) {
  parallel_for(tables.n_tables, n_threads, [&](std::size_t t) {
    const std::uint64_t n_entries = tables.entry_offsets[t + 1] - tables.entry_offsets[t];
    const std::uint64_t* const keys = tables.keys + tables.entry_offsets[t];
    const std::uint64_t first = tables.bucket_offsets[t];
    const SlotsOfTable slots{out.slot_keys + first * bucket_size,
                             out.slot_entries + first * bucket_size,
                             tables.bucket_offsets[t + 1] - first, first_absent(keys, n_entries)};
    slots.clear(n_entries);
    out.vacant[t] = slots.vacant;
    out.n_ascending[t] = 0;
    bool fits = true;
    for (std::uint64_t e = 0; fits && e < n_entries; ++e) fits = slots.put(keys[e], e);
    if (fits && slots.searches_are_short()) return;
    slots.clear(n_entries);
    for (std::uint64_t e = 0; e < n_entries; ++e) slots.set(e, keys[e], e);
    out.n_ascending[t] = (n_entries + bucket_size - 1) / bucket_size;
  });
}

void look_up(const CategoryRows& rows, const KeyIndex& index, const SlotBins& slot_bins,
             std::uint8_t* out, int n_threads) {
  // If there are many tables, a thread takes a whole one and keeps it in its cache.
  const bool many = index.n_tables >= 4 * std::size_t(std::max(n_threads, 1));
  const std::size_t stretch = many ? std::max<std::size_t>(rows.n_rows, 1) : rows_per_task;
  const std::size_t n_stretches = (rows.n_rows + stretch - 1) / stretch;
  parallel_for(index.n_tables * n_stretches, n_threads, [&](std::size_t task) {
    const std::size_t t = task / n_stretches, begin = task % n_stretches * stretch;
    const std::size_t end = std::min(begin + stretch, rows.n_rows);
    const TableOfKeys table{index.slot_keys + index.bucket_offsets[t] * bucket_size,
                            index.bucket_offsets[t + 1] - index.bucket_offsets[t], index.vacant[t],
                            index.n_ascending[t]};
    for (std::size_t first = begin; first < end; first += block_size) {
      look_up_block(rows, table, t, slot_bins, first, std::min(block_size, end - first), out);
    }
  });
}

void match_categories(const Matrix<const std::uint64_t>& hashes, const Indicators& indicators,
                      const Matrix<std::uint8_t>& out, int n_threads) {
  parallel_blocks(out.stride, rows_per_task, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    for (std::size_t k = 0; k < indicators.count; ++k) {
                      match_block(hashes[indicators.sources[k]] + begin, indicators.categories[k],
                                  end - begin, out[indicators.out_rows[k]] + begin);
                    }
                  });
}

void answer_questions(const Matrix<const std::uint8_t>& bins, const QuestionLists& lists,
                      const Matrix<std::uint32_t>& out, int n_threads) {
  parallel_blocks(out.stride, rows_per_task, n_threads,
                  [&](std::size_t begin, std::size_t end, std::size_t) {
                    for (std::size_t list = 0; list < lists.size(); ++list) {
                      answer_block(bins.from(begin), lists[list], end - begin, out[list] + begin);
                    }
                  });
}

}  // namespace ocelot
