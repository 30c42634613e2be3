// What is added to a bin of a histogram at once.
#pragma once

#include <cstdint>

namespace ocelot {

// One word, or two or four in a vector register.
template <int words>
struct Addend {
  typedef std::int64_t Type __attribute__((vector_size(words * 8), aligned(8), may_alias));
};
template <>
struct Addend<1> {
  typedef std::int64_t Type;
};

}  // namespace ocelot
