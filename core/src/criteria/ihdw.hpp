// Weighted inter-node Hellinger distance (Akash et al., 2019): children that hold much of every class count less,
//   sum_t rho_t (1 - sum_j sqrt(p_tj p_j)) w_t,  w_t = 1 - prod_{j present} n_tj/N_j        in [0, 1)
#pragma once

#include "criteria/inter_node.hpp"
#include "rarewood/criterion.hpp"

namespace rarewood::criteria {

struct IHDw {
  static constexpr std::string_view name = "ihdw";
  static constexpr SearchTraits traits{.prefix_subset_is_best = true,  // no proof, no counterexample
                                       .absent_classes_do_not_matter = true};

  struct AtNode {
    InterNode node;
    PerClass inverse_count;  // 1 / N_j, 0 for absent classes
    PerClass absent;         // 1 for absent classes: their factor of the product

    template <CountTable T>
    double operator()(T const& table) const {
      double sum = 0.0;
      for (std::size_t t = 0; t < table.children(); ++t) {
        double product = 1.0;
        for (std::size_t j = 0; j < table.classes(); ++j) product *= table(t, j) * inverse_count[j] + absent[j];
        sum += node.distance(table, t) * (1.0 - product);
      }
      return sum * node.inverse_total;
    }
  };

  AtNode at_node(Counts parent) const {
    AtNode at{InterNode(parent), PerClass(parent.size()), PerClass(parent.size())};
    for (std::size_t j = 0; j < parent.size(); ++j) {
      at.inverse_count[j] = inverse(parent[j]);
      at.absent[j] = parent[j] > 0.0 ? 0.0 : 1.0;
    }
    return at;
  }
};

}  // namespace rarewood::criteria
