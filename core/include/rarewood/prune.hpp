// Pessimistic pruning of a finished tree (Quinlan 1993, chapter 4): bottom-up, a subtree becomes a leaf when the upper confidence limit of
// the leaf's training errors is not more than 0.1 above the sum over the subtree's leaves.
#pragma once

#include "rarewood/tree.hpp"

namespace rarewood {

// Errors to add to `errors` out of `cases` for the upper limit at confidence `confidence` (0 < confidence <= 0.5).
double pessimistic_extra_errors(double cases, double errors, double confidence);

// A new tree; importances keep those of the grown tree.
Tree prune_pessimistic(Tree const& tree, double confidence);

}  // namespace rarewood
