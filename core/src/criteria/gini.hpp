// Decrease of the Gini index (Breiman et al., 1984):
//   (1 - sum_j p_j^2) - sum_t rho_t (1 - sum_j p_tj^2)        in [0, 1)
// p_j, p_tj: class shares of the node and of child t; rho_t: the child's share of the node.
#pragma once

#include "criteria/bounds.hpp"
#include "rarewood/criterion.hpp"

namespace rarewood::criteria {

struct Gini {
  static constexpr std::string_view name = "gini";
  static constexpr SearchTraits traits{.run_ends_suffice = true, .prefix_subset_is_best = true, .absent_classes_do_not_matter = true};

  struct AtNode {
    double inverse_total;
    double parent_purity;  // sum_j p_j^2
    bool many_classes;

    template <CountTable T>
    double operator()(T const& table) const {
      double purity = 0.0;
      for (std::size_t t = 0; t < table.children(); ++t) {
        double size = 0.0;
        double squares = 0.0;
        for (std::size_t j = 0; j < table.classes(); ++j) {
          size += table(t, j);
          squares += table(t, j) * table(t, j);
        }
        purity += size > 0.0 ? squares / size : 0.0;
      }
      return purity * inverse_total - parent_purity;
    }

    RunningScore running_score() const { return {RunningScore::Kind::squares, -parent_purity / inverse_total, inverse_total}; }
    // Two classes are scored as fast as they are bounded.
    bool has_bound() const { return many_classes; }
    void bound(ScreenBatch const& batch, float* bounds) const { gini_bounds(batch, parent_purity, bounds); }
  };

  AtNode at_node(Counts parent) const {
    double total = 0.0;
    double squares = 0.0;
    for (double count : parent) {
      total += count;
      squares += count * count;
    }
    return {1.0 / total, squares / (total * total), parent.size() > 2};
  }
};

}  // namespace rarewood::criteria
