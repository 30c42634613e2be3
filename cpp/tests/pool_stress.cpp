// The pool under ThreadSanitizer: many short jobs from several threads at once, nested jobs, jobs
// that throw, and pauses in which workers go to sleep. `make sanitize` builds and runs it.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "shared/pool.h"

namespace {

void expect(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::exit(1);
}

// Plain memory, one place per task: ThreadSanitizer sees it if two threads get the same task, or if
// the caller reads before a worker has finished.
void every_task_runs_once(std::size_t n_tasks, int n_threads) {
  std::vector<int> runs(n_tasks, 0);
  ocelot::parallel_for(n_tasks, n_threads, [&](std::size_t task) { ++runs[task]; });
  expect(std::accumulate(runs.begin(), runs.end(), std::size_t(0)) == n_tasks,
         "every task runs once");
}

void nested_jobs_run_inline(int n_threads) {
  std::vector<std::size_t> sums(8, 0);
  ocelot::parallel_for(sums.size(), n_threads, [&](std::size_t outer) {
    ocelot::parallel_for(16, n_threads, [&](std::size_t inner) { sums[outer] += inner; });
  });
  for (const std::size_t sum : sums) expect(sum == 120, "nested jobs run inline");
}

void errors_reach_the_caller(int n_threads) {
  bool caught = false;
  try {
    ocelot::parallel_for(64, n_threads, [](std::size_t task) {
      if (task % 7 == 3) throw std::runtime_error("expected");
    });
  } catch (const std::runtime_error&) {
    caught = true;
  }
  expect(caught, "errors reach the caller");
}

void blocks_cover_all_rows(int n_threads) {
  std::vector<int> rows(1000, 0);
  ocelot::parallel_blocks(rows.size(), 64, n_threads,
                          [&](std::size_t begin, std::size_t end, std::size_t) {
                            for (std::size_t row = begin; row < end; ++row) ++rows[row];
                          });
  for (const int row : rows) expect(row == 1, "blocks cover all rows");
}

void use(int seed, int n_rounds) {
  for (int round = 0; round < n_rounds; ++round) {
    const int n_threads = 1 + (round + seed) % 6;
    every_task_runs_once(std::size_t(round % 40), n_threads);
    nested_jobs_run_inline(n_threads);
    blocks_cover_all_rows(n_threads);
    if (round % 16 == 0) errors_reach_the_caller(n_threads);
    if (round % 64 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

int main() {
  use(0, 400);
  std::vector<std::thread> callers;
  for (int seed = 0; seed < 3; ++seed) callers.emplace_back(use, seed, 400);
  for (std::thread& caller : callers) caller.join();
  std::puts("the pool kept its promises");
  return 0;
}
