// The leaves of one tree as what they add to the sums of rows: probabilities times the weight of the tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rarewood/predict.hpp"
#include "rarewood/tree.hpp"

namespace rarewood {

class LeafShares {
 public:
  LeafShares() = default;
  // Of all rows of the leaf table.
  LeafShares(Tree const& tree, PseudoCounts const& pseudo_counts, double weight);

  bool empty() const { return n_classes_ == 0; }
  // By row of the leaf table, n_classes each.
  double const* data() const { return shares_.data(); }
  std::size_t bytes() const { return shares_.size() * sizeof(double); }

  // Adds the shares of leaf_rows[i] to the sums of row i, n_classes each.
  void add(std::span<std::uint32_t const> leaf_rows, double* sums) const;

  // One row, from scratch.
  static void weigh(Tree const& tree, std::size_t leaf_row, PseudoCounts const& pseudo_counts, double weight, double* shares);

 private:
  std::size_t n_classes_ = 0;
  std::vector<double> shares_;
};

}  // namespace rarewood
