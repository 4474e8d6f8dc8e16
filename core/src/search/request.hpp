#pragma once

#include <cstdint>

#include "base/rng.hpp"

namespace rarewood {

// What a node wants to know: how well one feature splits it, or lines through two.
struct Request {
  std::uint32_t feature = 0;
  std::uint32_t other = 0;  // the second of a pair; without one, the same as `feature`
  double min_cases = 1.0;   // smallest child a candidate may have
  Key key{0, 0};            // of everything random about the answer

  bool is_pair() const { return other != feature; }
};

}  // namespace rarewood
