// Trees that vote instead of estimating.
#pragma once

#include <span>
#include <vector>

#include "rarewood/tree.hpp"

namespace rarewood {

// The same trees with two classes, "any other" and `cls`, and a single case in each leaf: of `cls` where its count exceeds that of every
// other class, so a tie is no vote. Without smoothing, their mean probability of class 1 is the share of trees that vote for `cls`.
std::vector<Tree> voters(std::span<Tree const> trees, std::size_t cls);

}  // namespace rarewood
