// A bijection of 64-bit numbers that changes about half of the bits for any change of its argument.
#pragma once

#include <cstdint>

#include "shared/multiversion.h"

namespace ocelot {

OCELOT_INLINE std::uint64_t mix64(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9;
  x ^= x >> 27;
  x *= 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace ocelot
