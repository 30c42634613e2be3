// Categories: texts and whole numbers -> hashes, hashes -> codes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shared/siphash.h"

namespace ocelot {

// What a missing category hashes to, and nothing else does.
constexpr std::uint64_t missing_hash = 0;

// Texts one after the other: text i is bytes[offsets[i]] up to bytes[offsets[i + 1]].
template <class Offset>
struct JoinedTexts {
  const Offset* offsets;  // [n + 1]
  const char* bytes;
  std::size_t n_bytes;
};

// Arrow's string views. A text of at most 12 bytes stands in its view; a longer one has there its
// first four bytes, which buffer it is in, and where.
struct TextView {
  std::int32_t size;
  union {
    char text[12];
    struct {
      char prefix[4];
      std::int32_t buffer;
      std::int32_t offset;
    } elsewhere;
  };
};
static_assert(sizeof(TextView) == 16);

struct ViewedTexts {
  const TextView* views;       // [n]
  const char* const* buffers;  // [n_buffers]
  const std::size_t* sizes;    // [n_buffers]
  std::size_t n_buffers;
};

// The hash of each text; of a text that is not valid (valid [n] or null), missing_hash.
// Texts come from files that nobody has checked: one that is not inside its bytes is an
// std::invalid_argument.
template <class Offset>
void hash_texts(const JoinedTexts<Offset>& texts, std::size_t n, const bool* valid, HashKey key,
                std::uint64_t* out_hashes, int n_threads);
void hash_text_views(const ViewedTexts& texts, std::size_t n, const bool* valid, HashKey key,
                     std::uint64_t* out_hashes, int n_threads);

// The hash of each number's decimal digits.
template <class Integer>
void hash_integers(const Integer* values, std::size_t n, HashKey key, std::uint64_t* out_hashes,
                   int n_threads);

// The distinct hashes, ascending, into out_values [n], and the place of each row's hash among them
// into out_codes [n]. Returns how many are distinct.
std::size_t encode_hashes(const std::uint64_t* hashes, std::size_t n, std::uint32_t* out_codes,
                          std::uint64_t* out_values, int n_threads);

// How many slots are looked at while these hashes are numbered one after the other.
std::uint64_t numbering_steps(const std::uint64_t* hashes, std::size_t n);

}  // namespace ocelot
