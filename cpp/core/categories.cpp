#include "categories.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "pool.h"

namespace ocelot {
namespace {

static_assert(std::endian::native == std::endian::little, "words of a text are little endian");

constexpr std::size_t rows_per_task = 4096;
constexpr std::size_t least_rows_per_stretch = 1 << 16;

std::uint64_t hash_text(const char* text, std::size_t size) {
  std::uint64_t hash = mix64(size + 0x9E3779B97F4A7C15);
  std::uint64_t word;
  for (; size >= sizeof word; text += sizeof word, size -= sizeof word) {
    std::memcpy(&word, text, sizeof word);
    hash = mix64(hash ^ word);
  }
  if (size > 0) {
    word = 0;
    std::memcpy(&word, text, size);
    hash = mix64(hash ^ word);
  }
  return hash == missing_hash ? 1 : hash;
}

template <class HashOf>
void hash_rows(std::size_t n, const bool* valid, std::uint64_t* out_hashes, int n_threads,
               HashOf&& hash_of) {
  parallel_blocks(n, rows_per_task, n_threads, [&](std::size_t begin, std::size_t end, auto) {
    for (std::size_t i = begin; i < end; ++i) {
      out_hashes[i] = valid && !valid[i] ? missing_hash : hash_of(i);
    }
  });
}

// The distinct hashes of a stretch of rows, numbered in the order they are met. Hashes are mixed
// already, so their low bits say where to look.
class Numbering {
 public:
  Numbering() : slots_(1024) {}

  std::uint32_t number_of(std::uint64_t hash) {
    for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.number_plus_one == 0) return insert(slot, hash);
      if (slot.hash == hash) return slot.number_plus_one - 1;
    }
  }

  const std::vector<std::uint64_t>& distinct() const { return distinct_; }

 private:
  struct Slot {
    std::uint64_t hash;
    std::uint32_t number_plus_one;  // 0: nothing here
  };

  std::uint32_t insert(Slot& slot, std::uint64_t hash) {
    distinct_.push_back(hash);
    slot = {hash, std::uint32_t(distinct_.size())};
    if (distinct_.size() * 2 > slots_.size()) grow();
    return std::uint32_t(distinct_.size() - 1);
  }

  void grow() {
    slots_.assign(slots_.size() * 2, Slot{});
    for (std::size_t i = 0; i < distinct_.size(); ++i) {
      std::size_t at = distinct_[i] & (slots_.size() - 1);
      while (slots_[at].number_plus_one != 0) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = {distinct_[i], std::uint32_t(i + 1)};
    }
  }

  std::vector<Slot> slots_;
  std::vector<std::uint64_t> distinct_;
};

// Some rows with a numbering of their own.
struct Stretch {
  std::size_t begin, end;
  std::vector<std::uint64_t> values;   // the distinct hashes, ascending
  std::vector<std::uint32_t> numbers;  // the number of each
};

void number_rows(const std::uint64_t* hashes, Stretch& stretch, std::uint32_t* out_numbers) {
  Numbering numbering;
  for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
    out_numbers[i] = numbering.number_of(hashes[i]);
  }
  std::vector<std::pair<std::uint64_t, std::uint32_t>> sorted;
  for (const std::uint64_t hash : numbering.distinct()) {
    sorted.emplace_back(hash, std::uint32_t(sorted.size()));
  }
  std::sort(sorted.begin(), sorted.end());
  for (const auto& [hash, number] : sorted) {
    stretch.values.push_back(hash);
    stretch.numbers.push_back(number);
  }
}

// The stretch's numbers -> places among all values.
void place_rows(const std::vector<std::uint64_t>& all, const Stretch& stretch,
                std::uint32_t* inout_codes) {
  std::vector<std::uint32_t> place_of(stretch.numbers.size());
  std::size_t place = 0;
  for (std::size_t i = 0; i < stretch.values.size(); ++i) {
    while (all[place] < stretch.values[i]) ++place;
    place_of[stretch.numbers[i]] = std::uint32_t(place);
  }
  for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
    inout_codes[i] = place_of[inout_codes[i]];
  }
}

}  // namespace

template <class Offset>
void hash_texts(const JoinedTexts<Offset>& texts, std::size_t n, const bool* valid,
                std::uint64_t* out_hashes, int n_threads) {
  hash_rows(n, valid, out_hashes, n_threads, [&](std::size_t i) {
    const Offset begin = texts.offsets[i];
    return hash_text(texts.bytes + begin, std::size_t(texts.offsets[i + 1] - begin));
  });
}
template void hash_texts(const JoinedTexts<std::int32_t>&, std::size_t, const bool*, std::uint64_t*,
                         int);
template void hash_texts(const JoinedTexts<std::int64_t>&, std::size_t, const bool*, std::uint64_t*,
                         int);

void hash_text_views(const ViewedTexts& texts, std::size_t n, const bool* valid,
                     std::uint64_t* out_hashes, int n_threads) {
  hash_rows(n, valid, out_hashes, n_threads, [&](std::size_t i) {
    const TextView& view = texts.views[i];
    const std::size_t size = std::size_t(view.size);
    if (size <= sizeof view.text) return hash_text(view.text, size);
    return hash_text(texts.buffers[view.elsewhere.buffer] + view.elsewhere.offset, size);
  });
}

template <class Integer>
void hash_integers(const Integer* values, std::size_t n, std::uint64_t* out_hashes, int n_threads) {
  hash_rows(n, nullptr, out_hashes, n_threads, [&](std::size_t i) {
    char digits[24];
    const char* end = std::to_chars(std::begin(digits), std::end(digits), values[i]).ptr;
    return hash_text(digits, std::size_t(end - digits));
  });
}
template void hash_integers(const std::int64_t*, std::size_t, std::uint64_t*, int);
template void hash_integers(const std::uint64_t*, std::size_t, std::uint64_t*, int);

// Each stretch of rows is numbered by itself; sorting the distinct hashes of all of them makes the
// result the same however many stretches there are.
std::size_t encode_hashes(const std::uint64_t* hashes, std::size_t n, std::uint32_t* out_codes,
                          std::uint64_t* out_values, int n_threads) {
  const std::size_t most = std::max<std::size_t>(n / least_rows_per_stretch, 1);
  std::vector<Stretch> stretches(std::clamp<std::size_t>(std::size_t(n_threads), 1, most));
  parallel_for(stretches.size(), n_threads, [&](std::size_t s) {
    stretches[s].begin = n * s / stretches.size();
    stretches[s].end = n * (s + 1) / stretches.size();
    number_rows(hashes, stretches[s], out_codes);
  });

  std::vector<std::uint64_t> all, merged;
  for (const Stretch& stretch : stretches) {
    merged.clear();
    std::set_union(all.begin(), all.end(), stretch.values.begin(), stretch.values.end(),
                   std::back_inserter(merged));
    all.swap(merged);
  }
  std::copy(all.begin(), all.end(), out_values);
  parallel_for(stretches.size(), n_threads,
               [&](std::size_t s) { place_rows(all, stretches[s], out_codes); });
  return all.size();
}

}  // namespace ocelot
