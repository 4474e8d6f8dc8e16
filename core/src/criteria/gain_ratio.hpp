// Gain ratio (Quinlan, 1993): information gain divided by the entropy of the children's shares,
//   (H(p) - sum_t rho_t H(p_t)) / (-sum_t rho_t log2 rho_t)        >= 0, and 0 when all rows go to one child
// Maximised over all thresholds as it stands; criteria/c45.hpp has Quinlan's selection rules.
#pragma once

#include "criteria/bounds.hpp"
#include "criteria/information.hpp"
#include "rarewood/criterion.hpp"

namespace rarewood::criteria {

struct GainRatio {
  static constexpr std::string_view name = "gain_ratio";
  static constexpr SearchTraits traits{.run_ends_suffice = true, .prefix_subset_is_best = true, .absent_classes_do_not_matter = true};

  struct AtNode {
    Information information;

    template <CountTable T>
    double operator()(T const& table) const {
      double const gain = information.gain(table);
      double const cost = information.split_information(table);
      return cost > 0.0 ? gain / cost : 0.0;
    }

    bool has_bound() const { return true; }
    void bound(ScreenBatch const& batch, float* bounds) const {
      gain_ratio_bounds(batch, information.parent_entropy * information.inverse_total, bounds);
    }
  };

  AtNode at_node(Counts parent) const { return {Information(parent)}; }
};

}  // namespace rarewood::criteria
