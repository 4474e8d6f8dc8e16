// A part of a tree that was grown on its own, to be grafted onto the rest.
#pragma once

#include <cstdint>
#include <vector>

#include "rarewood/tree.hpp"

namespace rarewood {

// What a split adds to importances: the weight of its node and how much it improves on no split.
struct SplitGain {
  std::uint32_t node;
  double weight;
  double improvement;
};

struct Subtree {
  Tree tree;
  std::vector<SplitGain> gains;  // of its splits
};

}  // namespace rarewood
