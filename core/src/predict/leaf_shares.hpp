// The leaves of one tree as what they add to the sums of rows: probabilities times the weight of the tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rarewood/predict.hpp"
#include "rarewood/tree.hpp"

namespace rarewood {

// A row of shares. With many classes most leaves have seen few of them, and the others all get the same share: then this one share and the
// exceptions are kept, which is less to read. Sums get the same bits either way.
class LeafShares {
 public:
  LeafShares() = default;
  // Of all rows of the leaf table.
  LeafShares(Tree const& tree, PseudoCounts const& pseudo_counts, double weight);

  bool empty() const { return n_classes_ == 0; }
  // Dense ones, by row of the leaf table; nothing if they are not.
  double const* dense() const { return dense_.data(); }

  std::size_t bytes() const {
    return dense_.size() * sizeof(double) + sparse_.size() * sizeof(Sparse) + exceptions_.size() * sizeof(Exception);
  }

  // Adds the shares of leaf_rows[i] to the sums of row i, n_classes each.
  void add(std::span<std::uint32_t const> leaf_rows, double* sums) const;

  // One row, from scratch.
  static void weigh(Tree const& tree, std::size_t leaf_row, PseudoCounts const& pseudo_counts, double weight, double* shares);

 private:
  struct Exception {
    std::uint32_t cls;
    double share;
  };
  struct Sparse {
    double share;       // of all classes
    std::uint32_t end;  // of its exceptions, which begin where those of the row before end
  };

  void make_sparse();
  void add_sparse(std::uint32_t leaf_row, double* sums) const;

  std::size_t n_classes_ = 0;
  std::vector<double> dense_;
  std::vector<Sparse> sparse_;  // instead of dense_; one more in front
  std::vector<Exception> exceptions_;
};

}  // namespace rarewood
