// Asked now and then during long work, from any thread that does it; throws to stop it.
#pragma once

#include <cstddef>

namespace rarewood {

class Monitor {
 public:
  virtual ~Monitor() = default;
  virtual void poll() = 0;
};

// Polls a monitor about every million rows looked at: a few milliseconds. With `always`, whenever work is added.
class WorkMeter {
 public:
  explicit WorkMeter(Monitor& monitor, bool always = false) : monitor_(monitor), rows_per_poll_(always ? 1 : 1'000'000) {}

  void add(std::size_t rows) {
    since_poll_ += rows + 16;
    if (since_poll_ < rows_per_poll_) return;
    since_poll_ = 0;
    monitor_.poll();
  }

 private:
  Monitor& monitor_;
  std::size_t rows_per_poll_;
  std::size_t since_poll_ = 0;
};

}  // namespace rarewood
