// Dietterich, Kearns and Mansour (1996), two classes, without their factor 2:
//   sqrt(p_1 p_2) - sum_t rho_t sqrt(p_t1 p_t2)        in [0, 1/2]
// Equal to sqrt(p_1 p_2)/2 times the squared Hellinger distance, so at any one node both choose the same split.
#pragma once

#include "criteria/two_class_hellinger.hpp"
#include "rarewood/criterion.hpp"

namespace rarewood::criteria {

struct Dkm {
  static constexpr std::string_view name = "dkm";
  static constexpr SearchTraits traits{.run_ends_suffice = true, .prefix_subset_is_best = true, .max_classes = 2};

  struct AtNode {
    TwoClassHellinger classes;
    double scale;  // sqrt(p_1 p_2) / 2

    template <CountTable T>
    double operator()(T const& table) const {
      return scale * classes.squared(table);
    }
  };

  AtNode at_node(Counts parent) const {
    if (parent.size() < 2) return {TwoClassHellinger(parent), 0.0};
    double const total = parent[0] + parent[1];
    return {TwoClassHellinger(parent), 0.5 * std::sqrt(parent[0] / total * (parent[1] / total))};
  }
};

}  // namespace rarewood::criteria
