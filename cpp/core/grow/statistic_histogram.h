// Histograms of target statistics, whose columns have 16 bins, two of them in a byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ocelot {

// Bytes of target statistics: each page is [n_rows][n_bytes].
struct StatisticPages {
  const std::uint8_t* bytes;
  std::size_t n_rows, n_bytes;
};

// A histogram of one page: for each chunk and byte 16 bins of its low half, then 16 of its high
// half, each of `words` words.
//   histograms [n_shelves][n_histograms][n_chunks][n_bytes][32][words]
struct StatisticHistograms {
  std::int64_t* sums;
  std::size_t n_histograms, n_chunks, n_bytes, words;

  std::size_t size() const { return n_chunks * n_bytes * 32 * words; }
  std::int64_t* at(std::size_t shelf, std::size_t histogram) const {
    return sums + (shelf * n_histograms + histogram) * size();
  }
};

// Rows of a level, leaf after leaf: those of leaf s are rows[begin[s]] .. rows[end[s] - 1] and are
// summed into histogram target[s]. Pages that have been summed in the levels before need the fresh
// leaves alone.
struct Leaves {
  const std::uint32_t* begin;
  const std::uint32_t* end;
  const std::uint32_t* target;
  const std::uint8_t* fresh;
  std::size_t count;
};

// Pages and the rows to sum them over.
struct StatisticRows {
  StatisticPages statistics;
  std::span<const std::uint32_t> pages;  // their numbers in `statistics`
  std::size_t n_old;                     // the first of them, summed over fresh leaves alone
  const std::uint32_t* rows;
  Leaves leaves;
  const std::int64_t* packed;  // [n_chunks][n_packed_rows][words]
  std::int64_t* scratch;       // as large
  std::size_t n_packed_rows;
};

struct SumTask;

// Sums packed words over the rows of the leaves, page p into shelf p. Leaves of many
// rows are summed by all threads at once. Those of few rows wait until a page is looked at: their
// histograms are many, and would have left the cache by then.
class StatisticSums {
 public:
  // Sums the leaves of many rows.
  StatisticSums(const StatisticRows& rows, const StatisticHistograms& histograms, int n_threads);

  // Sums the leaves of few rows for one page.
  void sum_few(std::size_t page) const;

 private:
  const StatisticRows& rows_;
  const StatisticHistograms& histograms_;
  std::vector<std::uint32_t> few_, few_fresh_;  // leaves of few rows, and those that are fresh

  std::size_t size_of(std::uint32_t leaf) const {
    return rows_.leaves.end[leaf] - rows_.leaves.begin[leaf];
  }
  std::size_t first_page_of(std::uint32_t leaf) const {
    return rows_.leaves.fresh[leaf] ? 0 : rows_.n_old;
  }
  // Addends that many pages read are put into the order of the rows first.
  bool is_in_order(std::uint32_t leaf) const;
  const std::int64_t* addends_of(std::uint32_t leaf, std::size_t chunk, std::size_t begin) const;
  const std::uint8_t* bytes_of(std::size_t page) const;
  void put_in_order(int n_threads) const;
  void sum_many(const SumTask& task) const;
};

// All of them, as raw sums: histograms of leaves that are listed are overwritten, with zeros where
// a leaf has no rows, and others stay as they are. Sums of shards may be added up and then scored.
void accumulate_statistics(const StatisticRows& rows, const StatisticHistograms& out,
                           int n_threads);

}  // namespace ocelot
