// Lets Ctrl-C stop the core: asks Python for pending signals at most twenty times a second.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>

#include "rarewood/growth.hpp"

namespace rarewood::bindings {

class InterruptMonitor final : public Monitor {
 public:
  void poll() override {
    auto const now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(50)) return;
    last_ = now;
    nanobind::gil_scoped_acquire const gil;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace rarewood::bindings
