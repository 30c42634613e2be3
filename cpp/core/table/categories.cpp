#include "table/categories.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <iterator>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "shared/multiversion.h"
#include "shared/numbering.h"
#include "shared/pool.h"

namespace ocelot {
namespace {

static_assert(std::endian::native == std::endian::little, "words of a text are little endian");

constexpr std::size_t rows_per_task = 4096;
constexpr std::size_t rows_per_block = 1 << 15;
constexpr std::size_t rows_per_share = 1 << 15;
constexpr int most_share_bits = 8;
constexpr std::size_t few_distinct = 1 << 14;

std::uint64_t hash_text(const char* text, std::size_t size, HashKey key) {
  const std::uint64_t hash = hash_bytes(text, size, key);
  return hash == missing_hash ? 1 : hash;
}

// Whole numbers below this have at most seven digits.
constexpr std::uint64_t most_short = 10'000'000;

// The digits of a number below most_short as the last word of a text: the first digit in the lowest
// byte, how many there are in the highest. Two, four and eight digits are made at a time.
std::uint64_t short_text(std::uint64_t value) {
  constexpr std::uint64_t zeros = 0x3030303030303030;
  const std::uint64_t fours = value / 10000 | value % 10000 << 32;
  const std::uint64_t hundreds = (fours * 10486 >> 20) & 0x0000007f0000007f;
  const std::uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
  const std::uint64_t tens = (twos * 103 >> 10) & 0x000f000f000f000f;
  const std::uint64_t digits = tens | (twos - 10 * tens) << 8;
  const int n_leading = std::min(std::countr_zero(digits) / 8, 7);
  return (digits | zeros) >> 8 * n_leading | std::uint64_t(8 - n_leading) << 56;
}

// Four at a time: one hash alone is a chain of steps that wait for each other.
typedef std::uint64_t Four __attribute__((vector_size(32), aligned(8), may_alias));

OCELOT_HOT void hash_short_texts(const std::uint64_t* words, std::size_t count, HashKey key,
                                 std::uint64_t* out_hashes) {
  std::size_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const Four own = *reinterpret_cast<const Four*>(words + i);
    *reinterpret_cast<Four*>(out_hashes + i) = CategoryHash<Four>(key).finish(own, 0);
  }
  for (; i < count; ++i) out_hashes[i] = CategoryHash<std::uint64_t>(key).finish(words[i], 0);
}

template <class Integer>
std::uint64_t hash_integer(Integer value, HashKey key) {
  char digits[24];
  const char* end = std::to_chars(std::begin(digits), std::end(digits), value).ptr;
  return hash_text(digits, std::size_t(end - digits), key);
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

struct Numbered {
  std::uint64_t hash;
  std::uint32_t number;
  bool operator<(const Numbered& other) const { return hash < other.hash; }
};

// Distinct hashes ascending, with their places in the list. Hashes are spread evenly, so counting
// their highest bits (after the first n_common, in which all agree) nearly sorts them.
std::vector<Numbered> sorted_hashes(const std::vector<std::uint64_t>& hashes, int n_common) {
  const int n_bits = std::max(int(std::bit_width(hashes.size())) - 2, 1);
  const auto bucket_of = [&](std::uint64_t hash) { return (hash << n_common) >> (64 - n_bits); };
  std::vector<std::uint32_t> ends((std::size_t{1} << n_bits) + 1);
  for (const std::uint64_t hash : hashes) ++ends[bucket_of(hash) + 1];
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  std::vector<Numbered> sorted(hashes.size());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    sorted[ends[bucket_of(hashes[i])]++] = {hashes[i], std::uint32_t(i)};
  }
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    std::sort(sorted.begin() + begin, sorted.begin() + end);
    begin = end;
  }
  return sorted;
}

// Some rows, their hashes numbered.
struct Share {
  std::vector<std::uint64_t> values;    // the distinct hashes, ascending
  std::vector<std::uint32_t> place_of;  // [number] place in values
};

// Numbers into out_numbers [n]; false, and nothing of use, when there are more than most_distinct.
template <class Number>
bool number_rows(const std::uint64_t* hashes, std::size_t n, std::size_t most_distinct,
                 int n_common, Number* out_numbers, Share& out_share) {
  Numbering<OwnBits> numbering;
  for (std::size_t i = 0; i < n; ++i) {
    out_numbers[i] = numbering.number_of(hashes[i]);
    if (out_numbers[i] >= most_distinct) return false;
  }
  out_share.values.reserve(numbering.size());
  out_share.place_of.resize(numbering.size());
  for (const Numbered& value : sorted_hashes(numbering.distinct(), n_common)) {
    out_share.place_of[value.number] = std::uint32_t(out_share.values.size());
    out_share.values.push_back(value.hash);
  }
  return true;
}

// Rows dealt out by the highest bits of their hashes, in their order: share s has the places
// starts[s] up to starts[s + 1], and all its hashes are below those of the next share.
struct Dealt {
  std::vector<std::size_t> starts;
  std::unique_ptr<std::uint64_t[]> hashes;
  std::unique_ptr<std::uint32_t[]> rows;
};

Dealt deal_rows(const std::uint64_t* hashes, std::size_t n, int n_bits, int n_threads) {
  const std::size_t n_shares = std::size_t{1} << n_bits;
  const std::size_t n_blocks = (n + rows_per_block - 1) / rows_per_block;
  std::vector<std::size_t> places(n_blocks * n_shares);  // [block][share]
  parallel_blocks(n, rows_per_block, n_threads, [&](std::size_t begin, std::size_t end, auto b) {
    for (std::size_t i = begin; i < end; ++i) ++places[b * n_shares + (hashes[i] >> (64 - n_bits))];
  });

  Dealt dealt{{},
              std::make_unique_for_overwrite<std::uint64_t[]>(n),
              std::make_unique_for_overwrite<std::uint32_t[]>(n)};
  std::size_t place = 0;
  for (std::size_t s = 0; s < n_shares; ++s) {
    dealt.starts.push_back(place);
    for (std::size_t b = 0; b < n_blocks; ++b) {
      place += std::exchange(places[b * n_shares + s], place);
    }
  }
  dealt.starts.push_back(place);

  parallel_blocks(n, rows_per_block, n_threads, [&](std::size_t begin, std::size_t end, auto b) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t to = places[b * n_shares + (hashes[i] >> (64 - n_bits))]++;
      dealt.hashes[to] = hashes[i];
      dealt.rows[to] = std::uint32_t(i);
    }
  });
  return dealt;
}

// Shares are small enough for the caches.
std::size_t encode_in_shares(const std::uint64_t* hashes, std::size_t n, std::uint32_t* out_codes,
                             std::uint64_t* out_values, int n_threads) {
  const int n_bits = std::clamp(int(std::bit_width(n / rows_per_share)), 1, most_share_bits);
  const std::size_t n_shares = std::size_t{1} << n_bits;
  const Dealt dealt = deal_rows(hashes, n, n_bits, n_threads);
  std::vector<Share> shares(n_shares);
  parallel_for(n_shares, n_threads, [&](std::size_t s) {
    std::uint64_t* const own = dealt.hashes.get() + dealt.starts[s];
    number_rows(own, dealt.starts[s + 1] - dealt.starts[s], n, n_bits, own, shares[s]);
  });

  std::vector<std::size_t> first_values{0};
  for (const Share& share : shares) {
    first_values.push_back(first_values.back() + share.values.size());
  }
  parallel_for(n_shares, n_threads, [&](std::size_t s) {
    const auto& [values, place_of] = shares[s];
    std::copy(values.begin(), values.end(), out_values + first_values[s]);
    for (std::size_t i = dealt.starts[s]; i < dealt.starts[s + 1]; ++i) {
      out_codes[dealt.rows[i]] = std::uint32_t(first_values[s] + place_of[dealt.hashes[i]]);
    }
  });
  return first_values.back();
}

}  // namespace

template <class Offset>
void hash_texts(const JoinedTexts<Offset>& texts, std::size_t n, const bool* valid, HashKey key,
                std::uint64_t* out_hashes, int n_threads) {
  hash_rows(n, valid, out_hashes, n_threads, [&](std::size_t i) {
    const Offset begin = texts.offsets[i], end = texts.offsets[i + 1];
    if (begin < 0 || end < begin || std::size_t(end) > texts.n_bytes) {
      throw std::invalid_argument("offsets: a text is not inside bytes");
    }
    return hash_text(texts.bytes + begin, std::size_t(end - begin), key);
  });
}
template void hash_texts(const JoinedTexts<std::int32_t>&, std::size_t, const bool*, HashKey,
                         std::uint64_t*, int);
template void hash_texts(const JoinedTexts<std::int64_t>&, std::size_t, const bool*, HashKey,
                         std::uint64_t*, int);

void hash_text_views(const ViewedTexts& texts, std::size_t n, const bool* valid, HashKey key,
                     std::uint64_t* out_hashes, int n_threads) {
  hash_rows(n, valid, out_hashes, n_threads, [&](std::size_t i) {
    const TextView& view = texts.views[i];
    const std::size_t size = std::size_t(view.size);  // enormous where it is negative
    if (size <= sizeof view.text) return hash_text(view.text, size, key);
    const std::size_t buffer = std::size_t(view.elsewhere.buffer);
    const std::size_t offset = std::size_t(view.elsewhere.offset);
    if (view.size < 0 || buffer >= texts.n_buffers || offset > texts.sizes[buffer] ||
        size > texts.sizes[buffer] - offset) {
      throw std::invalid_argument("views: a text is not inside its buffer");
    }
    return hash_text(texts.buffers[buffer] + offset, size, key);
  });
}

template <class Integer>
void hash_integers(const Integer* values, std::size_t n, HashKey key, std::uint64_t* out_hashes,
                   int n_threads) {
  parallel_blocks(n, rows_per_task, n_threads, [&](std::size_t begin, std::size_t end, auto) {
    std::uint64_t words[rows_per_task];
    for (std::size_t i = begin; i < end; ++i) words[i - begin] = short_text(values[i]);
    hash_short_texts(words, end - begin, key, out_hashes + begin);
    for (std::size_t i = begin; i < end; ++i) {
      if (std::uint64_t(values[i]) >= most_short) out_hashes[i] = hash_integer(values[i], key);
      if (out_hashes[i] == missing_hash) out_hashes[i] = 1;
    }
  });
}
template void hash_integers(const std::int64_t*, std::size_t, HashKey, std::uint64_t*, int);
template void hash_integers(const std::uint64_t*, std::size_t, HashKey, std::uint64_t*, int);

// Both ways give the same; the first is quicker while its table fits into a cache.
std::size_t encode_hashes(const std::uint64_t* hashes, std::size_t n, std::uint32_t* out_codes,
                          std::uint64_t* out_values, int n_threads) {
  Share all;
  const std::size_t most_distinct = n <= rows_per_share ? n : few_distinct;
  if (!number_rows(hashes, n, most_distinct, 0, out_codes, all)) {
    return encode_in_shares(hashes, n, out_codes, out_values, n_threads);
  }
  std::copy(all.values.begin(), all.values.end(), out_values);
  parallel_blocks(n, rows_per_block, n_threads, [&](std::size_t begin, std::size_t end, auto) {
    for (std::size_t i = begin; i < end; ++i) out_codes[i] = all.place_of[out_codes[i]];
  });
  return all.values.size();
}

std::uint64_t numbering_steps(const std::uint64_t* keys, std::size_t n) {
  Numbering<OwnBits, std::uint64_t> numbering;
  for (std::size_t i = 0; i < n; ++i) numbering.number_of(keys[i]);
  return numbering.steps;
}

}  // namespace ocelot
