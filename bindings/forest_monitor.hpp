// Lets Ctrl-C stop the core and lets Python watch it. Polled by any thread; only the one that called into the core talks to Python,
// at most twenty times a second; the others stop when it says so.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <optional>
#include <thread>

#include "rarewood/forest.hpp"
#include "running_calls.hpp"

namespace rarewood::bindings {

class InterruptMonitor final : public ForestMonitor {
 public:
  // progress: None, or a function of the number of trees done.
  explicit InterruptMonitor(nanobind::object progress = nanobind::none()) : progress_(std::move(progress)) {}

  void poll() override {
    if (stopped_ || RunningCall::must_stop(caller_)) throw Stopped();
    if (std::this_thread::get_id() != caller_) return;
    auto const now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return;
    last_ = now;
    ask_python();
  }

  void tree_done() override {
    ++done_;
    poll();
  }

  // Runs `work` without the GIL; what stopped it, if anything, is raised here.
  template <class Work>
  auto run(Work work) {
    RunningCall const call;
    try {
      nanobind::gil_scoped_release const released;
      return work();
    } catch (Stopped const&) {
      if (error_) throw std::move(*error_);
      RunningCall::raise_exit();
    }
  }

 private:
  struct Stopped : std::exception {
    char const* what() const noexcept override { return "stopped"; }
  };

  void ask_python() {
    nanobind::gil_scoped_acquire const gil;
    try {
      if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
      if (!progress_.is_none()) progress_(done_.load());
    } catch (nanobind::python_error& error) {
      error_.emplace(std::move(error));
      stopped_ = true;
      throw Stopped();
    }
  }

  nanobind::object progress_;
  std::thread::id caller_ = std::this_thread::get_id();
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::atomic<std::size_t> done_{0};
  std::atomic<bool> stopped_{false};
  std::optional<nanobind::python_error> error_;
};

}  // namespace rarewood::bindings
