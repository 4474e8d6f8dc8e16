// Runs task(0, monitor) .. task(n - 1, monitor) on up to n_threads threads, in any order; the calling thread takes part. The first exception
// stops the others, between tasks and where a task polls the monitor it is given, and is rethrown. The caller's monitor is polled between
// tasks by all threads, and by the calling thread while it waits for the others. Where the system gives no more threads, those there are do the work.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

#include "rarewood/monitor.hpp"

namespace rarewood {

// The tasks of one parallel_for, as its threads see them.
template <class Task>
class SharedWork final : private Monitor {
 public:
  SharedWork(std::size_t n, Monitor& monitor, Task& task) : n_(n), monitor_(monitor), task_(task) {}

  void run(std::size_t n_workers) {
    std::vector<std::thread> helpers;
    helpers.reserve(n_workers - 1);
    try {
      while (helpers.size() + 1 < n_workers) helpers.emplace_back([this] { help(); });
    } catch (std::system_error const&) {  // no more threads: a limit of the process or of its container
    } catch (std::bad_alloc const&) {     // no room for one more; leaving here would end the process, as those that run are not joined
    }
    work();
    wait_for(helpers.size());
    for (std::thread& helper : helpers) helper.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  struct Stopped {};  // what the threads throw that have not failed themselves

  void poll() override {
    if (stopped_) throw Stopped();
    monitor_.poll();
  }

  void work() {
    for (std::size_t i = next_++; i < n_; i = next_++) {
      guarded([&] {
        poll();
        task_(i, static_cast<Monitor&>(*this));
      });
    }
  }

  void help() {
    work();
    std::lock_guard const lock(guard_);
    ++n_helped_;
    helped_.notify_one();
  }

  // Woken by the last helper, so that polling delays nothing.
  void wait_for(std::size_t n_helpers) {
    std::unique_lock lock(guard_);
    while (!helped_.wait_for(lock, std::chrono::milliseconds(50), [&] { return n_helped_ == n_helpers; })) {
      lock.unlock();
      guarded([this] { poll(); });
      lock.lock();
    }
  }

  template <class Act>
  void guarded(Act act) {
    try {
      act();
    } catch (...) {
      std::lock_guard const lock(guard_);
      if (!failure_) failure_ = std::current_exception();
      next_ = n_;
      stopped_ = true;
    }
  }

  std::size_t n_;
  Monitor& monitor_;
  Task& task_;
  std::atomic<std::size_t> next_{0};
  std::atomic<bool> stopped_{false};
  std::mutex guard_;  // of what follows
  std::condition_variable helped_;
  std::size_t n_helped_ = 0;
  std::exception_ptr failure_;
};

template <class Task>
void parallel_for(std::size_t n, unsigned n_threads, Monitor& monitor, Task task) {
  std::size_t const n_workers = std::min<std::size_t>(std::max(1U, n_threads), n);
  if (n_workers > 1) return SharedWork<Task>(n, monitor, task).run(n_workers);
  for (std::size_t i = 0; i < n; ++i) {
    monitor.poll();
    task(i, monitor);
  }
}

}  // namespace rarewood
