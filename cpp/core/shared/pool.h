// A small thread pool. The caller always works; workers only help.
#pragma once

#include <cstddef>
#include <type_traits>

namespace ocelot {

// Calls body(context, task) for every task in [0, n_tasks), on at most n_threads threads, in any
// order. A call from inside a task, or while another thread uses the pool, runs inline.
void run_tasks(std::size_t n_tasks, int n_threads, void (*body)(void*, std::size_t), void* context);

template <class Body>
void parallel_for(std::size_t n_tasks, int n_threads, Body&& body) {
  using Function = std::remove_reference_t<Body>;
  run_tasks(
      n_tasks, n_threads,
      [](void* context, std::size_t task) { (*static_cast<Function*>(context))(task); },
      const_cast<void*>(static_cast<const void*>(&body)));
}

// Cuts [0, n) into blocks of block_size and calls body(begin, end, block). The cut depends on n
// alone, so sums collected by block are the same for any number of threads.
template <class Body>
void parallel_blocks(std::size_t n, std::size_t block_size, int n_threads, Body&& body) {
  const std::size_t n_blocks = (n + block_size - 1) / block_size;
  parallel_for(n_blocks, n_threads, [&](std::size_t block) {
    const std::size_t begin = block * block_size;
    const std::size_t end = begin + block_size < n ? begin + block_size : n;
    body(begin, end, block);
  });
}

}  // namespace ocelot
