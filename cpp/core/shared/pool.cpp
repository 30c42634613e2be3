#include "shared/pool.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include "shared/pause_cpu.h"

namespace ocelot {
namespace {

// A worker spins this long for the next job before it sleeps. Between two kernels of a tree there
// are tens of microseconds of Python, and waking a sleeping thread costs as much again: spinning
// for 40 instead of 300 made trees of 100,000 rows 14 % slower.
constexpr auto spin_time = std::chrono::microseconds(300);

// A worker that has had no part in a job for this long ends; a new one is hired when needed.
constexpr auto idle_time = std::chrono::seconds(5);

using Clock = std::chrono::steady_clock;

struct Job {
  void (*body)(void*, std::size_t) = nullptr;
  void* context = nullptr;
  std::size_t n_tasks = 0;
  std::atomic<std::size_t> next{0};
  std::atomic<int> free_places{0};  // how many more workers may join
  std::mutex error_mutex;
  std::exception_ptr error;

  void work() {
    for (;;) {
      const std::size_t task = next.fetch_add(1, std::memory_order_relaxed);
      if (task >= n_tasks) return;
      try {
        body(context, task);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(error_mutex);
        if (!error) error = std::current_exception();
        next.store(n_tasks, std::memory_order_relaxed);
      }
    }
  }
};

thread_local bool inside_task = false;

// While it lives, this thread is inside a task: calls of its own run inline.
class InsideTask {
 public:
  InsideTask() : before_(inside_task) { inside_task = true; }
  ~InsideTask() { inside_task = before_; }
  InsideTask(const InsideTask&) = delete;
  InsideTask& operator=(const InsideTask&) = delete;

 private:
  const bool before_;
};

// What a worker finds at the pool's job: it joins an open one.
enum class Door { closed, full, open };

class Pool {
 public:
  explicit Pool(pid_t owner) : owner_(owner) {}

  pid_t owner() const { return owner_; }

  // False when another thread is using the pool.
  bool try_acquire() { return !busy_.exchange(true, std::memory_order_acquire); }

  void run(std::size_t n_tasks, int n_threads, void (*body)(void*, std::size_t), void* context) {
    const int n_helpers = n_tasks < std::size_t(n_threads) ? int(n_tasks) - 1 : n_threads - 1;
    hire(n_helpers);
    job_.body = body;
    job_.context = context;
    job_.n_tasks = n_tasks;
    job_.error = nullptr;
    job_.next.store(0, std::memory_order_relaxed);
    job_.free_places.store(n_helpers, std::memory_order_relaxed);
    open_.store(true);
    generation_.fetch_add(1);
    wake(n_helpers);
    {
      const InsideTask inside;
      job_.work();
    }
    // A worker raises n_active_ before it looks at open_; we close before we look at n_active_.
    // So either we see the worker and wait, or the worker sees the closed door and turns back.
    open_.store(false);
    while (n_active_.load() > 0) pause_cpu();
    const std::exception_ptr error = job_.error;
    busy_.store(false, std::memory_order_release);
    if (error) std::rethrow_exception(error);
  }

 private:
  // Hires workers up to that number. If the system gives no more threads, those that exist suffice;
  // they also do if one of them ends at this moment.
  void hire(int n_wanted) {
    try {
      while (n_workers_.load() < n_wanted) {
        std::thread([this] { serve(); }).detach();
        n_workers_.fetch_add(1);
      }
    } catch (const std::system_error&) {
    }
  }

  // A worker counts itself as sleeping before it looks at generation_ for the last time; we look
  // after we have changed it. So either we wake it, or it sees the change and does not sleep.
  void wake(int n_wanted) {
    const int n_sleeping = n_sleeping_.load();
    if (n_sleeping == 0) return;
    {
      const std::lock_guard<std::mutex> lock(sleep_mutex_);
    }
    if (n_sleeping <= n_wanted) return morning_.notify_all();
    for (int i = 0; i < n_wanted; ++i) morning_.notify_one();
  }

  void serve() {
    const InsideTask inside;
    std::uint32_t seen = generation_.load();
    help();
    auto end_of_spinning = Clock::now() + spin_time, end_of_service = Clock::now() + idle_time;
    for (;;) {
      seen = wait_for_change(seen, end_of_spinning, end_of_service);
      const Door found = help();
      const auto now = Clock::now();
      // A worker that came too late spins for the next job; one that is not needed frees the core.
      if (found != Door::full) end_of_spinning = now + spin_time;
      if (found == Door::open) end_of_service = now + idle_time;
      if (now >= end_of_service) break;
    }
    n_workers_.fetch_sub(1);
  }

  Door help() {
    n_active_.fetch_add(1);
    Door found = Door::closed;
    if (open_.load()) found = job_.free_places.fetch_sub(1) > 0 ? Door::open : Door::full;
    if (found == Door::open) job_.work();
    n_active_.fetch_sub(1);
    return found;
  }

  std::uint32_t wait_for_change(std::uint32_t seen, Clock::time_point end_of_spinning,
                                Clock::time_point end_of_service) {
    do {
      for (int i = 0; i < 64; ++i) {
        const std::uint32_t current = generation_.load(std::memory_order_acquire);
        if (current != seen) return current;
        pause_cpu();
      }
    } while (Clock::now() < end_of_spinning);
    std::unique_lock<std::mutex> lock(sleep_mutex_);
    n_sleeping_.fetch_add(1);
    morning_.wait_until(lock, end_of_service, [&] { return generation_.load() != seen; });
    n_sleeping_.fetch_sub(1);
    return generation_.load();
  }

  const pid_t owner_;
  Job job_;
  std::atomic<int> n_workers_{0};
  std::atomic<bool> busy_{false};
  std::atomic<bool> open_{false};
  std::atomic<int> n_active_{0};
  std::atomic<std::uint32_t> generation_{0};
  std::atomic<int> n_sleeping_{0};
  std::mutex sleep_mutex_;
  std::condition_variable morning_;
};

std::atomic<Pool*> the_pool{nullptr};

// The pool of this process. A forked child has none of its parent's threads, so it leaves the
// parent's pool alone and makes its own.
Pool& pool() {
  const pid_t here = getpid();
  Pool* current = the_pool.load(std::memory_order_acquire);
  while (current == nullptr || current->owner() != here) {
    Pool* fresh = new Pool(here);
    if (the_pool.compare_exchange_strong(current, fresh)) return *fresh;
    delete fresh;
  }
  return *current;
}

}  // namespace

void run_tasks(std::size_t n_tasks, int n_threads, void (*body)(void*, std::size_t),
               void* context) {
  if (n_tasks == 1) return body(context, 0);  // as if the caller had called it
  if (n_tasks > 1 && n_threads > 1 && !inside_task) {
    Pool& shared = pool();
    if (shared.try_acquire()) return shared.run(n_tasks, n_threads, body, context);
  }
  const InsideTask inside;
  for (std::size_t task = 0; task < n_tasks; ++task) body(context, task);
}

}  // namespace ocelot
