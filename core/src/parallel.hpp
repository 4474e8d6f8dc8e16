// Runs task(0) .. task(n - 1) on up to n_threads threads, in any order; the calling thread takes part. The first exception stops
// the others between tasks and is rethrown.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace rarewood {

template <class Task>
void parallel_for(std::size_t n, unsigned n_threads, Task task) {
  std::size_t const n_workers = std::min<std::size_t>(std::max(1U, n_threads), n);
  if (n_workers <= 1) {
    for (std::size_t i = 0; i < n; ++i) task(i);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_guard;
  auto const work = [&] {
    for (std::size_t i = next++; i < n; i = next++) {
      try {
        task(i);
      } catch (...) {
        std::lock_guard const lock(failure_guard);
        if (!failure) failure = std::current_exception();
        next = n;
      }
    }
  };
  std::vector<std::thread> helpers;
  for (std::size_t w = 1; w < n_workers; ++w) helpers.emplace_back(work);
  work();
  for (std::thread& helper : helpers) helper.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace rarewood
