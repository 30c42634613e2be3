// The keyword n_threads of every kernel: an int for Python, checked when a kernel takes it. Threads
// that train side by side share them.
#pragma once

#include <nanobind/nanobind.h>

#include "checks.h"
#include "turn.h"

namespace ocelot::bindings {

class Threads {
 public:
  Threads() = default;
  explicit Threads(int count) : count_(count) {}

  operator int() const {
    require(count_ >= 1 && count_ <= most, "n_threads: from 1 to 65536");
    return Turn::share(count_);
  }

 private:
  static constexpr int most = 1 << 16;
  int count_ = 0;
};

}  // namespace ocelot::bindings

template <>
struct nanobind::detail::type_caster<ocelot::bindings::Threads> {
  NB_TYPE_CASTER(ocelot::bindings::Threads, const_name("int"))

  bool from_python(handle source, uint8_t flags, cleanup_list* cleanup) noexcept {
    make_caster<int> count;
    if (!count.from_python(source, flags, cleanup)) return false;
    value = ocelot::bindings::Threads(count.value);
    return true;
  }
};
