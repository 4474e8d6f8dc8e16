// Squared Hellinger distance of two classes over the children of a split,
//   sum_t ( sqrt(n_t1/N_1) - sqrt(n_t2/N_2) )^2        in [0, 2]
// and 0 unless both classes are present. Summing squares of differences keeps full accuracy; 2 - 2 sum_t sqrt(...) would
// keep half the digits once the root is taken.
#pragma once

#include <cmath>

#include "criteria/per_class.hpp"
#include "rarewood/count_table.hpp"

namespace rarewood::criteria {

struct TwoClassHellinger {
  double inverse_first = 0.0;  // 1 / N_1; both 0 unless both classes are present
  double inverse_second = 0.0;

  explicit TwoClassHellinger(Counts parent) {
    if (parent.size() < 2 || !(parent[0] > 0.0) || !(parent[1] > 0.0)) return;
    inverse_first = 1.0 / parent[0];
    inverse_second = 1.0 / parent[1];
  }

  template <CountTable T>
  double squared(T const& table) const {
    if (table.classes() < 2) return 0.0;
    double sum = 0.0;
    for (std::size_t t = 0; t < table.children(); ++t) {
      double const difference = std::sqrt(table(t, 0) * inverse_first) - std::sqrt(table(t, 1) * inverse_second);
      sum += difference * difference;
    }
    return sum;
  }
};

}  // namespace rarewood::criteria
