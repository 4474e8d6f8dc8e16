// Trees as plain arrays and back: the form that pickles and model files hold. The arrays of all trees stand one after the other,
// so ten thousand small trees are as few arrays as one large one.
#pragma once

#include <nanobind/nanobind.h>

#include <span>
#include <vector>

#include "rarewood/tree.hpp"

namespace rarewood::bindings {

// All trees must have the same number of features and classes.
nanobind::dict to_arrays(std::span<Tree const> trees);
// Throws ValueError when an array is missing, has the wrong type or size, or the arrays do not make sound trees.
std::vector<Tree> from_arrays(nanobind::dict const& arrays);
Tree from_arrays_of_one(nanobind::dict const& arrays);

}  // namespace rarewood::bindings
