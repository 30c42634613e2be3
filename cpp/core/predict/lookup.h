// Categories -> bins: indicators, and statistics that are looked up in tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "predict/questions.h"
#include "shared/siphash.h"

namespace ocelot {

// One key per row, of the combination of all rows of hashes [n_members][n_rows]: the hash of the
// only member, or the keyed hash of all of them.
void combination_keys(const Matrix<const std::uint64_t>& hashes, HashKey key,
                      std::uint64_t* out_keys, int n_threads);

// A table's keys lie in buckets of eight, one cache line each. A key is in the bucket that its bits
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

// The keys of all tables; inside a table they ascend.
struct KeysOfTables {
  std::size_t n_tables;
  const std::uint64_t* keys;
  const std::uint64_t* entry_offsets;   // [n_tables + 1]
  const std::uint64_t* bucket_offsets;  // [n_tables + 1]; every table has more slots than keys
};

// The arrays of a KeyIndex while they are filled, and the entry in each slot, counted from its
// table's first. In a vacant slot the entry is the number of entries of the table.
struct FilledIndex {
  std::uint64_t* slot_keys;
  std::uint64_t* vacant;
  std::uint64_t* n_ascending;
  std::uint32_t* slot_entries;
};

void index_keys(const KeysOfTables& tables, const FilledIndex& out, int n_threads);

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
  const std::uint32_t* out_rows;        // [n_columns] row of out
};

void look_up(const CategoryRows& rows, const KeyIndex& index, const SlotBins& slot_bins,
             std::uint8_t* out, int n_threads);

// Indicator i goes into row out_rows[i] of out: is the category in row sources[i] of hashes this
// one?
struct Indicators {
  std::size_t count;
  const std::uint32_t* sources;
  const std::uint64_t* categories;
  const std::uint32_t* out_rows;
};

// hashes and out: [..][n_rows].
void match_categories(const Matrix<const std::uint64_t>& hashes, const Indicators& indicators,
                      const Matrix<std::uint8_t>& out, int n_threads);

// Lists of questions: list l has those from offsets[l] up to offsets[l + 1].
struct QuestionLists {
  std::span<const std::uint32_t> offsets;  // one more than lists
  Questions questions;

  std::size_t size() const { return offsets.size() - 1; }
  Questions operator[](std::size_t list) const {
    return questions.from(offsets[list], offsets[list + 1] - offsets[list]);
  }
};

// The answers of a list, first question first, are the binary digits of out[list][row].
void answer_questions(const Matrix<const std::uint8_t>& bins, const QuestionLists& lists,
                      const Matrix<std::uint32_t>& out, int n_threads);

}  // namespace ocelot
