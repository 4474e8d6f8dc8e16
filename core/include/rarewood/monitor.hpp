// Asked now and then during long work, from any thread that does it; throws to stop it.
#pragma once

#include <cstddef>

namespace rarewood {

class Monitor {
 public:
  virtual ~Monitor() = default;
  virtual void poll() = 0;
};

// Polls a monitor about every million rows looked at: a few milliseconds.
class WorkMeter {
 public:
  explicit WorkMeter(Monitor& monitor) : monitor_(monitor) {}

  void add(std::size_t rows) {
    since_poll_ += rows + 16;
    if (since_poll_ < 1'000'000) return;
    since_poll_ = 0;
    monitor_.poll();
  }

 private:
  Monitor& monitor_;
  std::size_t since_poll_ = 0;
};

}  // namespace rarewood
