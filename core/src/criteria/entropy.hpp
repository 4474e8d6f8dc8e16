// Information gain in bits (Quinlan, 1986):
//   H(p) - sum_t rho_t H(p_t),  H(p) = -sum_j p_j log2 p_j        in [0, log2 K]
#pragma once

#include "criteria/bounds.hpp"
#include "criteria/information.hpp"
#include "rarewood/criterion.hpp"

namespace rarewood::criteria {

struct Entropy {
  static constexpr std::string_view name = "entropy";
  static constexpr SearchTraits traits{.run_ends_suffice = true, .prefix_subset_is_best = true, .absent_classes_do_not_matter = true};

  struct AtNode {
    Information information;

    template <CountTable T>
    double operator()(T const& table) const {
      return information.gain(table);
    }

    RunningScore running_score() const {
      if (!information.small) return {};
      return {RunningScore::Kind::logs, information.parent_entropy, information.inverse_total};
    }
    bool has_bound() const { return true; }
    void bound(ScreenBatch const& batch, float* bounds) const {
      gain_bounds(batch, information.parent_entropy * information.inverse_total, bounds);
    }
  };

  AtNode at_node(Counts parent) const { return {Information(parent)}; }
};

}  // namespace rarewood::criteria
