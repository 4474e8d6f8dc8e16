// Rows -> leaves -> probabilities. Several rows go down a tree side by side, so that the cache misses of one hide behind the others.
// A tree that was grown here or passed Tree::check is trusted; the matrix must have tree.n_features columns. The monitor is polled often
// enough to stop within a fraction of a second.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rarewood/matrix_view.hpp"
#include "rarewood/monitor.hpp"
#include "rarewood/tree.hpp"

namespace rarewood {

// Node in which each row ends: a leaf, or a multiway node that has no branch for the row's category.
void apply(Tree const& tree, MatrixView const& rows, std::span<std::int64_t> nodes, Monitor& monitor);

// Likewise for many trees, row-major (rows x trees).
void apply(std::span<Tree const> trees, MatrixView const& rows, std::span<std::int64_t> nodes, Monitor& monitor);

// Cases that every leaf counts before it has seen any, so many of each class.
class PseudoCounts {
 public:
  // Throws std::invalid_argument when one is negative or not finite.
  PseudoCounts(double of_each_class, std::size_t n_classes);
  explicit PseudoCounts(std::vector<double> per_class);

  std::size_t n_classes() const { return per_class_.size(); }

  // (count + pseudo-count) / (sum of both over the classes); uniform where that is 0 / 0.
  void leaf_probabilities(double const* counts, double* probabilities) const {
    double total = 0.0;
    for (std::size_t j = 0; j < n_classes(); ++j) total += counts[j];
    double const denominator = total + total_;
    for (std::size_t j = 0; j < n_classes(); ++j)
      probabilities[j] = denominator > 0.0 ? (counts[j] + per_class_[j]) / denominator : 1.0 / static_cast<double>(n_classes());
  }

 private:
  static void check(double count);

  std::vector<double> per_class_;
  double total_ = 0.0;
};

// Mean over the trees of the leaf probabilities, row-major (rows x classes), by up to n_threads threads. Deterministic for any number of them.
// With tree_weights, one per tree, the sum of weight x leaf probabilities instead of the mean.
void predict_proba(std::span<Tree const> trees, MatrixView const& rows, PseudoCounts const& pseudo_counts,
                   std::span<double const> tree_weights, std::span<double> probabilities, unsigned n_threads, Monitor& monitor);

// Nodes visited by each row, in compressed-row form.
struct DecisionPaths {
  std::vector<std::int64_t> row_begin;
  std::vector<std::int64_t> nodes;
};
DecisionPaths decision_paths(Tree const& tree, MatrixView const& rows, Monitor& monitor);

}  // namespace rarewood
