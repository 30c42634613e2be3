// SipHash (Aumasson and Bernstein, 2012): a keyed hash. Without the key nobody can
// find two texts with the same hash, or texts whose hashes share bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "shared/multiversion.h"

namespace ocelot {

struct HashKey {
  std::uint64_t low, high;
};

// Word is one 64-bit number, or a vector of them: one hash per number.
template <int compressions, int finalizations, class Word = std::uint64_t>
class SipHash {
 public:
  OCELOT_INLINE constexpr explicit SipHash(HashKey key)
      : v0_(Word{} + (key.low ^ 0x736f6d6570736575)),
        v1_(Word{} + (key.high ^ 0x646f72616e646f6d)),
        v2_(Word{} + (key.low ^ 0x6c7967656e657261)),
        v3_(Word{} + (key.high ^ 0x7465646279746573)) {}

  OCELOT_INLINE constexpr void add(Word word) {
    v3_ ^= word;
    for (int i = 0; i < compressions; ++i) round();
    v0_ ^= word;
  }

  // The last word: the bytes left over, at most seven, and in the highest byte how many there were.
  OCELOT_INLINE constexpr Word finish(Word rest, std::uint64_t n_bytes) {
    add(rest | (n_bytes << 56));
    v2_ ^= 0xff;
    for (int i = 0; i < finalizations; ++i) round();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  OCELOT_INLINE static constexpr Word rotated(Word word, int n_bits) {
    return (word << n_bits) | (word >> (64 - n_bits));
  }

  OCELOT_INLINE constexpr void round() {
    v0_ += v1_;
    v2_ += v3_;
    v1_ = rotated(v1_, 13) ^ v0_;
    v3_ = rotated(v3_, 16) ^ v2_;
    v0_ = rotated(v0_, 32) + v3_;
    v2_ += v1_;
    v3_ = rotated(v3_, 21) ^ v0_;
    v1_ = rotated(v1_, 17) ^ v2_;
    v2_ = rotated(v2_, 32);
  }

  Word v0_, v1_, v2_, v3_;
};

// One round for each word and three at the end: what Rust and CPython use for their hash tables.
template <class Word>
using CategoryHash = SipHash<1, 3, Word>;

// The published hashes of the bytes 0, 1, 2 ... with four rounds at the end and two for each word.
constexpr HashKey published_key{0x0706050403020100, 0x0f0e0d0c0b0a0908};
static_assert(SipHash<2, 4>(published_key).finish(0, 0) == 0x726fdb47dd0e0e31);
static_assert(SipHash<2, 4>(published_key).finish(0x06050403020100, 7) == 0xab0200f58b01d137);
static_assert([] {
  SipHash<2, 4> hash(published_key);
  hash.add(0x0706050403020100);
  return hash.finish(0x0e0d0c0b0a0908, 15);
}() == 0xa129ca6149be45e5);

// The last size % 8 bytes of a text as a little-endian number, without reading beyond it.
OCELOT_INLINE std::uint64_t last_bytes(const char* text, std::size_t size) {
  const std::size_t n = size % 8;
  if (n == 0) return 0;
  if (size > 8) {
    std::uint64_t word;
    std::memcpy(&word, text + size - 8, 8);
    return word >> (64 - 8 * n);
  }
  if (n >= 4) {
    std::uint32_t first, last;  // they overlap where there are fewer than eight
    std::memcpy(&first, text, 4);
    std::memcpy(&last, text + n - 4, 4);
    return first | (std::uint64_t(last) << (8 * (n - 4)));
  }
  const auto byte = [&](std::size_t i) { return std::uint64_t(std::uint8_t(text[i])) << (8 * i); };
  return byte(0) | byte(n / 2) | byte(n - 1);
}

OCELOT_INLINE std::uint64_t hash_bytes(const char* text, std::size_t size, HashKey key) {
  CategoryHash<std::uint64_t> hash(key);
  for (std::size_t i = 0; i + 8 <= size; i += 8) {
    std::uint64_t word;
    std::memcpy(&word, text + i, 8);
    hash.add(word);
  }
  return hash.finish(last_bytes(text, size), size);
}

}  // namespace ocelot
