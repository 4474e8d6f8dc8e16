// Which fraction of each class, and of all other classes together, goes to a child. For more than two classes.
#pragma once

#include <vector>

#include "criteria/per_class.hpp"
#include "rarewood/count_table.hpp"

namespace rarewood::criteria {

struct OneVsRest {
  std::vector<std::size_t> present;  // the classes present at the node
  // Per present class c:
  std::vector<double> inverse_own, inverse_rest;  // 1 / N_c, 1 / (N - N_c)
  std::vector<double> own;                        // n_tc of the child read last
  std::vector<double> of_class, of_rest;          // n_tc / N_c, (N_t - n_tc) / (N - N_c)

  OneVsRest() = default;

  explicit OneVsRest(Counts parent)
      : present(present_classes(parent)), inverse_own(size()), inverse_rest(size()), own(size()), of_class(size()), of_rest(size()) {
    for (std::size_t i = 0; i < size(); ++i) own[i] = parent[present[i]];
    sums_without_each(own, of_rest);
    for (std::size_t i = 0; i < size(); ++i) {
      inverse_own[i] = 1.0 / own[i];
      inverse_rest[i] = inverse(of_rest[i]);
    }
  }

  std::size_t size() const { return present.size(); }

  template <CountTable T>
  void read_child(T const& table, std::size_t t) {
    for (std::size_t i = 0; i < size(); ++i) own[i] = table(t, present[i]);
    sums_without_each(own, of_rest);
    for (std::size_t i = 0; i < size(); ++i) {
      of_class[i] = own[i] * inverse_own[i];
      of_rest[i] *= inverse_rest[i];
    }
  }
};

}  // namespace rarewood::criteria
