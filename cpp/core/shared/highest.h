// The highest of some numbers.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ocelot {

// 0 if there are none.
std::uint32_t highest_of(const std::uint32_t* numbers, std::size_t count);

}  // namespace ocelot
