// A tree as plain arrays and back: the form that pickles and model files hold.
#pragma once

#include <nanobind/nanobind.h>

#include "rarewood/tree.hpp"

namespace rarewood::bindings {

nanobind::dict to_arrays(Tree const& tree);
// Throws ValueError when an array is missing, has the wrong type or size, or the arrays do not make a sound tree.
Tree from_arrays(nanobind::dict const& arrays);

}  // namespace rarewood::bindings
