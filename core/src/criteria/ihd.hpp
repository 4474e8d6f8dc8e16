// Inter-node Hellinger distance (Akash et al., 2019): how far the children's class shares lie from the parent's,
//   sum_t rho_t (1 - sum_j sqrt(p_tj p_j))        in [0, 1)
#pragma once

#include "criteria/inter_node.hpp"
#include "rarewood/criterion.hpp"

namespace rarewood::criteria {

struct IHD {
  static constexpr std::string_view name = "ihd";
  static constexpr SearchTraits traits{.run_ends_suffice = true, .prefix_subset_is_best = true, .absent_classes_do_not_matter = true};

  struct AtNode {
    InterNode node;

    template <CountTable T>
    double operator()(T const& table) const {
      double sum = 0.0;
      for (std::size_t t = 0; t < table.children(); ++t) sum += node.distance(table, t);
      return sum * node.inverse_total;
    }
  };

  AtNode at_node(Counts parent) const { return {InterNode(parent)}; }
};

}  // namespace rarewood::criteria
