// Distinct class based splitting measure (Chandra, Kothari and Paul, 2010), which is minimised, negated:
//   -sum_t rho_t D_t exp(D_t) sum_j p_tj exp( (D_t/D) (1 - p_tj^2) )        < 0
// D_t, D: number of classes present in child t and in the node. It is not measured from the parent, so 0 is not "no gain".
#pragma once

#include <cmath>

#include "criteria/per_class.hpp"
#include "rarewood/criterion.hpp"

namespace rarewood::criteria {

struct DCSM {
  static constexpr std::string_view name = "dcsm";
  static constexpr SearchTraits traits{.prefix_subset_is_best = true,  // no proof, no counterexample
                                       .no_split_scores_zero = false,
                                       .absent_classes_do_not_matter = true};

  struct AtNode {
    double inverse_total;
    double inverse_distinct;  // 1 / D
    PerClass weight;          // weight[d - 1] = d exp(d)

    template <CountTable T>
    double operator()(T const& table) const {
      double sum = 0.0;
      for (std::size_t t = 0; t < table.children(); ++t) {
        std::size_t distinct = 0;
        for (std::size_t j = 0; j < table.classes(); ++j) distinct += table(t, j) > 0.0;
        if (distinct > 0) sum += weight[distinct - 1] * confusion(table, t, static_cast<double>(distinct) * inverse_distinct);
      }
      return -sum * inverse_total;
    }

    template <CountTable T>
    static double confusion(T const& table, std::size_t t, double share_of_classes) {
      double const inverse_size = 1.0 / child_total(table, t);
      double sum = 0.0;
      for (std::size_t j = 0; j < table.classes(); ++j) {
        double const share = table(t, j) * inverse_size;
        if (share > 0.0) sum += table(t, j) * std::exp(share_of_classes * (1.0 - share * share));
      }
      return sum;
    }
  };

  AtNode at_node(Counts parent) const {
    AtNode node{0.0, 0.0, PerClass(parent.size())};
    double total = 0.0;
    double distinct = 0.0;
    for (double count : parent) {
      total += count;
      distinct += count > 0.0 ? 1.0 : 0.0;
    }
    for (std::size_t i = 0; i < parent.size(); ++i) node.weight[i] = static_cast<double>(i + 1) * std::exp(static_cast<double>(i + 1));
    node.inverse_total = 1.0 / total;
    node.inverse_distinct = 1.0 / distinct;
    return node;
  }
};

}  // namespace rarewood::criteria
