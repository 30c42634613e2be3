#include "shared/highest.h"

#include "shared/multiversion.h"

namespace ocelot {

OCELOT_HOT std::uint32_t highest_of(const std::uint32_t* numbers, std::size_t count) {
  std::uint32_t highest = 0;
  for (std::size_t i = 0; i < count; ++i) highest = numbers[i] > highest ? numbers[i] : highest;
  return highest;
}

}  // namespace ocelot
