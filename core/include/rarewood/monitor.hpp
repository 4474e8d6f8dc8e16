// Asked now and then during long work, from any thread that does it; throws to stop it.
#pragma once

namespace rarewood {

class Monitor {
 public:
  virtual ~Monitor() = default;
  virtual void poll() = 0;
};

}  // namespace rarewood
