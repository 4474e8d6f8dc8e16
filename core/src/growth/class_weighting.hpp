// Class weights where a node is written: its counts as a leaf stores them, and the heaviest of its children.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rarewood/count_table.hpp"

namespace rarewood {

class ClassWeighting {
 public:
  // One weight per class, or none: every class weighs 1.
  explicit ClassWeighting(std::span<double const> weights) : weights_(weights) {}

  bool empty() const { return weights_.empty(); }
  double weighted(std::size_t cls, double count) const { return weights_.empty() ? count : count * weights_[cls]; }

  // Class counts and cases with the weights applied; valid until the next call, and as long as `totals`.
  Counts leaf_counts(Counts totals) {
    if (weights_.empty()) return totals;
    leaf_counts_.assign(totals.begin(), totals.end());
    for (std::size_t j = 0; j < weights_.size(); ++j) leaf_counts_[j] *= weights_[j];
    return leaf_counts_;
  }

 private:
  std::span<double const> weights_;
  std::vector<double> leaf_counts_;
};

// weight_of(child): class weights applied. Of children that weigh the same, the first.
template <class WeightOf>
std::size_t heaviest_of(std::size_t n_children, WeightOf weight_of) {
  std::size_t heaviest = 0;
  double most = -1.0;
  for (std::size_t c = 0; c < n_children; ++c) {
    double const weight = weight_of(c);
    if (weight > most) {
      most = weight;
      heaviest = c;
    }
  }
  return heaviest;
}

}  // namespace rarewood
