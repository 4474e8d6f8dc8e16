// C4.5 (Quinlan, 1993, 1996). A single split scores its gain ratio; what makes it C4.5 is how growth selects:
// thresholds by gain less log2(number of thresholds)/N, then among columns of at least average gain the largest ratio.
// Every threshold counts as tried, so none may be skipped.
#pragma once

#include "criteria/gain_ratio.hpp"

namespace rarewood::criteria {

struct C45 : GainRatio {
  static constexpr std::string_view name = "c45";
  static constexpr SearchTraits traits{.prefix_subset_is_best = true, .quinlan_selection = true};
};

}  // namespace rarewood::criteria
