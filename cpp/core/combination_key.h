// The 64-bit key of a combination of categories.
#pragma once

#include <cstdint>

#include "mix64.h"

namespace ocelot {

inline constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15ULL;  // 2^64 / 1.618...

// The key of (a, b, c) is joined_key(joined_key(a, b), c).
OCELOT_INLINE std::uint64_t joined_key(std::uint64_t key, std::uint64_t hash) {
  return mix64(key * golden_ratio + hash);
}

// Answers to questions count like one more category.
OCELOT_INLINE std::uint64_t hash_of_answers(std::uint64_t answers) { return mix64(answers + 1); }

}  // namespace ocelot
