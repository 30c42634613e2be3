// Categories -> bins: indicators, and statistics that are looked up in tables.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shared/siphash.h"

namespace ocelot {

// Keys (n_rows) of the combination of all n_members rows of hashes [n_members][n_rows]: the hash of
// the only member, or the keyed hash of all of them.
void combination_keys(const std::uint64_t* hashes, std::size_t n_members, std::size_t n_rows,
                      HashKey key, std::uint64_t* out_keys, int n_threads);

// A table's keys lie in buckets of eight, a cache line each. A key is in the bucket that its bits
// choose, or, where that is full, in the next that is not, round the table. Vacant slots hold a key
// that the table does not have, and there are some in every table, so a search always ends:
//
//   bucket 0: 02ab 0511  --   --   --   --   --   --
//   bucket 1: 5c0e 61d2 7777 40aa 66e0 5f00 6001 71c8     full: a search goes on
//   bucket 2: 90b1 6f3e  --   --   --   --   --   --      6f3e belongs to bucket 1
//
// Searches pass a few buckets. Keys that were made to fill most_buckets in a row are put one after
// the other instead, and are found by halving.
inline constexpr std::size_t bucket_size = 8;
inline constexpr std::size_t most_buckets = 16;

struct KeyIndex {
  std::size_t n_tables;
  const std::uint64_t* bucket_offsets;  // [n_tables + 1]
  const std::uint64_t* slot_keys;       // [buckets of all tables][bucket_size]
  const std::uint64_t* vacant;          // [n_tables] the key of a vacant slot
  const std::uint64_t* n_ascending;     // [n_tables] buckets filled in ascending order, or 0
};

// keys ascend inside a table; every table has more slots than keys. out_slot_entries: the entry in
// each slot, counted from its table's first; for a vacant slot, how many entries the table has.
void index_keys(const std::uint64_t* keys, const std::uint64_t* entry_offsets, std::size_t n_tables,
                const std::uint64_t* bucket_offsets, std::uint64_t* out_slot_keys,
                std::uint64_t* out_vacant, std::uint64_t* out_n_ascending,
                std::uint32_t* out_slot_entries, int n_threads);

// What each row's categories are, and what each table is a combination of.
struct CategoryRows {
  std::size_t n_rows;
  const std::uint64_t* hashes;          // [n_categorical][n_rows]
  const std::uint32_t* member_offsets;  // [n_tables + 1]
  const std::uint32_t* members;         // rows of hashes
  const std::uint32_t* answers;         // [..][n_rows] to the base questions of tables
  const std::int32_t* answer_rows;      // [n_tables] row of answers; -1: the table has no base
  HashKey key;
};

// The statistic columns of all tables: bins of a table's slots lie side by side.
struct SlotBins {
  const std::uint32_t* column_offsets;  // [n_tables + 1]
  const std::uint64_t* bin_offsets;     // [n_tables] where a table's bins begin
  const std::uint8_t* bins;             // of each table [n_slots][n_columns of the table]
  const std::uint32_t* targets;         // [n_columns] row of out
};

void look_up(const CategoryRows& rows, const KeyIndex& index, const SlotBins& slot_bins,
             std::uint8_t* out, int n_threads);

// Row targets[i] of out [..][n_rows]: is the category in row sources[i] of hashes this one?
void match_categories(const std::uint64_t* hashes, std::size_t n_rows, const std::uint32_t* sources,
                      const std::uint64_t* categories, const std::uint32_t* targets,
                      std::size_t n_indicators, std::uint8_t* out, int n_threads);

// Lists of questions "is row columns[q] of bins greater than split_bins[q]?": the answers of a
// list, first question first, are the binary digits of out[list][row].
struct QuestionLists {
  std::size_t n_lists;
  const std::uint32_t* offsets;  // [n_lists + 1]
  const std::uint32_t* columns;
  const std::uint8_t* split_bins;
};

void answer_questions(const std::uint8_t* bins, std::size_t n_rows, const QuestionLists& lists,
                      std::uint32_t* out, int n_threads);

}  // namespace ocelot
