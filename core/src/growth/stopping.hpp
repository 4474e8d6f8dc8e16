// When a node is not split any further.
#pragma once

#include <cstddef>

#include "rarewood/growth_options.hpp"

namespace rarewood {

// n_classes: of those present; n_features: of those not known to be constant.
inline bool must_be_leaf(GrowthOptions const& options, std::size_t depth, std::size_t n_classes, std::size_t n_features, double cases) {
  if (n_classes < 2 || n_features == 0) return true;
  if (cases < options.min_samples_split || cases < 2.0 * options.min_samples_leaf) return true;
  return options.max_depth != 0 && depth >= options.max_depth;
}

}  // namespace rarewood
