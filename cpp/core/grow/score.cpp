#include "grow/score.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <span>
#include <tuple>
#include <vector>

#include "grow/score_terms.h"
#include "shared/multiversion.h"
#include "shared/pool.h"

namespace ocelot {
namespace {

constexpr std::size_t n_bins = Histograms::n_bins;

// Histograms of a slot lie far from each other, so the processor does not foresee the next one.
void fetch_ahead(const std::int64_t* sums, std::size_t count) {
  for (std::size_t i = 0; i < count; i += 8) __builtin_prefetch(sums + i);
}

// A column inside its slot: `first` is where its bins stand in the slot's running sums.
struct SlotColumn {
  std::uint32_t column;
  std::size_t first, n_bins, default_bin;
};

// Some bits of a slot: one column, or a bundle of them one after the other.
struct Field {
  std::uint32_t shift;
  std::size_t first, width;  // width: a power of two, the values of the field at least
  std::span<const SlotColumn> columns;
};

// The fields of each slot that have borders, the lowest bits first.
class SlotFields {
 public:
  SlotFields(const ScoredColumns& columns, std::size_t n_slots) : offsets_(n_slots + 1, 0) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t c = 0; c < columns.count(); ++c) {
      if (columns.bin_counts[c] >= 2) order.push_back(c);
    }
    const auto place = [&](std::uint32_t c) {
      return std::tuple(columns.slots[c], columns.shifts[c], columns.firsts[c]);
    };
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return place(a) < place(b); });
    columns_.reserve(order.size());
    for (std::size_t begin = 0, end; begin < order.size(); begin = end) {
      const std::uint32_t slot = columns.slots[order[begin]], shift = columns.shifts[order[begin]];
      end = begin;
      while (end < order.size() && columns.slots[order[end]] == slot &&
             columns.shifts[order[end]] == shift) {
        ++end;
      }
      const bool opens = begin == 0 || columns.slots[order[begin - 1]] != slot;
      add_field(columns, {order.data() + begin, end - begin}, shift,
                opens ? 0 : fields_.back().first + fields_.back().width);
      offsets_[slot + 1] = fields_.size();
    }
    for (std::size_t slot = 0; slot < n_slots; ++slot) {
      offsets_[slot + 1] = std::max(offsets_[slot + 1], offsets_[slot]);
    }
  }

  std::span<const Field> of(std::size_t slot) const {
    return {fields_.data() + offsets_[slot], offsets_[slot + 1] - offsets_[slot]};
  }

 private:
  void add_field(const ScoredColumns& columns, std::span<const std::uint32_t> own,
                 std::uint32_t shift, std::size_t first) {
    const std::size_t n_before = columns_.size();
    for (const std::uint32_t c : own) {
      columns_.push_back(
          {c, first + columns.firsts[c], columns.bin_counts[c], columns.defaults[c]});
    }
    const std::size_t n_values = columns.firsts[own.back()] + columns.bin_counts[own.back()];
    fields_.push_back(
        {shift, first, std::bit_ceil(n_values), {columns_.data() + n_before, own.size()}});
  }

  std::vector<SlotColumn> columns_;  // never grows beyond what was reserved
  std::vector<Field> fields_;
  std::vector<std::size_t> offsets_;  // [n_slots + 1]
};

// Of [n_blocks][size] bins: the sum of each block, and that of all blocks in place of the first.
template <std::size_t words>
OCELOT_INLINE void fold_words(std::int64_t* bins, std::size_t n_blocks, std::size_t size,
                              std::int64_t* by_block) {
  for (std::size_t block = 0; block < n_blocks; ++block) {
    const std::int64_t* const own = bins + block * size * words;
    std::int64_t sums[words]{};
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t w = 0; w < words; ++w) sums[w] += own[i * words + w];
    }
    std::copy_n(sums, words, by_block + block * words);
    if (block == 0) continue;
    for (std::size_t i = 0; i < size * words; ++i) bins[i] += own[i];
  }
}

OCELOT_HOT void fold(std::int64_t* bins, std::size_t n_blocks, std::size_t size, std::size_t words,
                     std::int64_t* by_block) {
  if (words == 1) return fold_words<1>(bins, n_blocks, size, by_block);
  if (words == 2) return fold_words<2>(bins, n_blocks, size, by_block);
  fold_words<4>(bins, n_blocks, size, by_block);
}

// Of a bundle: what is not in the range of a column is added to the column's default bin.
template <std::size_t words>
OCELOT_INLINE void add_defaults_of(std::int64_t* slot, const Field& field) {
  const auto sum = [&](std::size_t first, std::size_t n_bins, std::int64_t* out) {
    for (std::size_t i = first * words; i < (first + n_bins) * words; ++i) {
      out[i % words] += slot[i];
    }
  };
  std::int64_t all[words]{};
  sum(field.first, field.width, all);
  for (const SlotColumn& column : field.columns) {
    std::int64_t own[words]{};
    sum(column.first, column.n_bins, own);
    std::int64_t* const bin = slot + (column.first + column.default_bin) * words;
    for (std::size_t w = 0; w < words; ++w) bin[w] += all[w] - own[w];
  }
}

OCELOT_HOT void add_defaults(std::int64_t* slot, const Field& field, std::size_t words) {
  if (words == 1) return add_defaults_of<1>(slot, field);
  if (words == 2) return add_defaults_of<2>(slot, field);
  add_defaults_of<4>(slot, field);
}

// The bins of a field become running sums of its columns. The last column's go on to the end of
// the field.
void run_field(std::int64_t* slot, std::size_t words, const Field& field) {
  if (field.columns.size() > 1) add_defaults(slot, field, words);
  for (std::size_t k = 0; k < field.columns.size(); ++k) {
    const SlotColumn& own = field.columns[k];
    const bool last = k + 1 == field.columns.size();
    const std::size_t end = last ? field.first + field.width : own.first + own.n_bins;
    run_sums(slot + own.first * words, end - own.first, words);
  }
}

// A slot that fields share becomes their marginals, running sums, one field after the other.
void run_marginals(std::int64_t* slot, std::size_t words, std::span<const Field> fields) {
  std::int64_t joint[n_bins * 4], unused[n_bins * 4];
  std::copy_n(slot, n_bins * words, joint);
  std::size_t count = n_bins;  // of the bits below the last field
  for (auto own = fields.rbegin(); own != fields.rend(); ++own) {
    const std::size_t below = std::size_t{1} << own->shift, used = below * own->width;
    if (used < count) fold(joint, count / used, used, words, unused);
    fold(joint, own->width, below, words, slot + own->first * words);
    run_field(slot, words, *own);
    count = below;
  }
}

}  // namespace

bool fields_are_apart(const ScoredColumns& columns, std::size_t n_slots) {
  const SlotFields fields(columns, n_slots);
  for (std::size_t slot = 0; slot < n_slots; ++slot) {
    std::size_t free = 1;  // the value of the lowest bit that no field has
    for (const Field& field : fields.of(slot)) {
      const std::size_t lowest = std::size_t{1} << field.shift;
      if (lowest < free || lowest * field.width > n_bins) return false;
      free = lowest * field.width;
      std::size_t end = field.first;
      for (const SlotColumn& column : field.columns) {
        if (column.first < end) return false;
        if (field.columns.size() > 1 && column.default_bin >= column.n_bins) return false;
        end = column.first + column.n_bins;
      }
    }
  }
  return true;
}

void score_columns(const Histograms& inout, const FreshHistograms& fresh,
                   const ScoredLeaves& scored, const ScoredColumns& columns, const ScoreRule& rule,
                   const BestBorders& out, int n_threads) {
  const std::size_t words = inout.words;
  const SlotFields fields(columns, inout.n_slots);
  std::fill(out.scores.begin(), out.scores.end(), -std::numeric_limits<double>::infinity());
  std::fill(out.bins.begin(), out.bins.end(), 0);

  parallel_for(inout.n_slots, n_threads, [&](std::size_t slot) {
    const std::span<const Field> own_fields = fields.of(slot);
    if (own_fields.empty()) return;
    const Field& last = own_fields.back();
    const std::size_t used = last.first + last.width;
    for (std::size_t chunk = 0; chunk < inout.n_chunks; ++chunk) {
      for (std::size_t p = 0; p < fresh.small.size(); ++p) {
        std::int64_t* const small = inout.at(chunk, fresh.small[p], slot);
        if (p + 1 < fresh.small.size()) {
          fetch_ahead(inout.at(chunk, fresh.small[p + 1], slot), used * words);
          if (fresh.large[p + 1] != no_histogram) {
            fetch_ahead(inout.at(chunk, fresh.large[p + 1], slot), used * words);
          }
        }
        if (own_fields.size() == 1) {
          run_field(small, words, last);
        } else {
          run_marginals(small, words, own_fields);
        }
        if (fresh.large[p] != no_histogram) {
          subtract(inout.at(chunk, fresh.large[p], slot), small, used * words);
        }
      }
    }
    const auto is_candidate = [&](const SlotColumn& own) { return columns.candidates[own.column]; };
    const auto has_candidate = [&](const Field& field) {
      return std::any_of(field.columns.begin(), field.columns.end(), is_candidate);
    };
    if (std::none_of(own_fields.begin(), own_fields.end(), has_candidate)) return;
    BorderScores scores(rule, inout.n_chunks, words);
    LeafSums leaves;
    sums_by_leaf(
        scored, rule.n_eras, inout.n_chunks,
        [&](std::size_t histogram, std::size_t chunk) { return inout.at(chunk, histogram, slot); },
        leaves);
    // Bins after those of the last column change nothing: whole vectors are quicker than the rest
    // of one.
    const std::size_t n_filled = last.columns.back().first + last.columns.back().n_bins;
    scores.score(std::min((n_filled + 7) / 8 * 8, used), leaves);
    for (const Field& field : own_fields) {
      for (const SlotColumn& own : field.columns) {
        if (!is_candidate(own)) continue;
        const Border best = scores.best(own.first, own.n_bins);
        out.scores[own.column] = best.score;
        out.bins[own.column] = best.bin;
      }
    }
  });
}

}  // namespace ocelot
