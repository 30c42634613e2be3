// Whose turn it is to run Python, among threads that train side by side.
#pragma once

#include <atomic>
#include <chrono>
#include <utility>

#include "shared/pause_cpu.h"

namespace ocelot::bindings {

// Between two kernels of a tree there are tens of microseconds of Python. A thread that waits for
// the GIL sleeps, and waking it takes as long again. So threads that take turns spin for theirs
// first, and then find the GIL free: two models of 16,512 rows took 0.55 of the time of one after
// the other, and 1.16 of it without turns.
//
// They also share the cores: a kernel uses the part of its threads that falls to the caller
// (share), and all of them as soon as the others have ended. No result depends on it.
//
// A turn is a courtesy: who has waited for too long goes to the GIL without one. So nothing is
// locked when a thread stays in Python for long, or never comes back. Other threads than those that
// asked for it (take) neither wait nor are waited for.
class Turn {
 public:
  // Returns whether the thread took turns before.
  static bool take(bool taking) {
    if (!taking) end();
    if (taking != taking_) n_taking_.fetch_add(taking ? 1 : -1, std::memory_order_relaxed);
    return std::exchange(taking_, taking);
  }

  // Of a number of threads.
  static int share(int n_threads) {
    if (!taking_ || n_threads == 1) return n_threads;
    const int n_sharing = n_taking_.load(std::memory_order_relaxed);
    return n_threads > n_sharing ? n_threads / n_sharing : 1;
  }

  // The thread is about to give the GIL back.
  static void end() {
    if (!taking_) return;
    const void* own = &taking_;
    owner_.compare_exchange_strong(own, nullptr, std::memory_order_release,
                                   std::memory_order_relaxed);
  }

  // The thread is about to ask for the GIL.
  static void wait() {
    if (!taking_ || begin()) return;
    const auto latest = std::chrono::steady_clock::now() + longest_wait;
    do {
      for (int i = 0; i < 32; ++i) {
        if (owner_.load(std::memory_order_relaxed) == nullptr && begin()) return;
        pause_cpu();
      }
    } while (std::chrono::steady_clock::now() < latest);
    owner_.store(&taking_, std::memory_order_relaxed);
  }

 private:
  static bool begin() {
    const void* nobody = nullptr;
    return owner_.compare_exchange_strong(nobody, &taking_, std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }

  static constexpr auto longest_wait = std::chrono::microseconds(200);
  static inline thread_local bool taking_ = false;  // its address is the thread's name
  static inline std::atomic<const void*> owner_{nullptr};
  static inline std::atomic<int> n_taking_{0};
};

}  // namespace ocelot::bindings
