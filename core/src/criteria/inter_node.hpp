// What ihd and ihdw share: the squared Hellinger distance between the class shares of child and parent, times the child's size,
//   N_t (1 - sum_j sqrt(p_tj p_j))  =  1/2 sum_j ( sqrt(n_tj) - sqrt(N_t p_j) )^2.
// The right form is accurate for small distances and needs no care with empty children.
#pragma once

#include <cmath>

#include "criteria/per_class.hpp"
#include "rarewood/count_table.hpp"

namespace rarewood::criteria {

struct InterNode {
  double inverse_total;
  PerClass root_share;  // sqrt(p_j)

  explicit InterNode(Counts parent) : root_share(parent.size()) {
    double total = 0.0;
    for (double count : parent) total += count;
    inverse_total = 1.0 / total;
    for (std::size_t j = 0; j < parent.size(); ++j) root_share[j] = std::sqrt(parent[j] * inverse_total);
  }

  template <CountTable T>
  double distance(T const& table, std::size_t child) const {
    double const root_size = std::sqrt(child_total(table, child));
    double sum = 0.0;
    for (std::size_t j = 0; j < table.classes(); ++j) {
      double const difference = std::sqrt(table(child, j)) - root_size * root_share[j];
      sum += difference * difference;
    }
    return 0.5 * sum;
  }
};

}  // namespace rarewood::criteria
