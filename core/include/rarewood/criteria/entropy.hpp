// Information gain in bits (Quinlan, 1986):
//   H(p) - sum_t rho_t H(p_t),  H(p) = -sum_j p_j log2 p_j        in [0, log2 K]
#pragma once

#include "rarewood/criteria/information.hpp"
#include "rarewood/criterion.hpp"

namespace rarewood::criteria {

struct Entropy {
  static constexpr std::string_view name = "entropy";
  static constexpr SearchTraits traits{.run_ends_suffice = true, .prefix_subset_is_best = true};

  struct AtNode {
    Information information;

    template <CountTable T>
    double operator()(T const& table) const {
      return information.gain(table);
    }
  };

  AtNode at_node(Counts parent) const { return {Information(parent)}; }
};

}  // namespace rarewood::criteria
