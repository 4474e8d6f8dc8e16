// Rows -> leaves -> probabilities. Several rows go down a tree side by side, so that the cache misses of one hide behind the others.
// A tree that was grown here or passed Tree::check is trusted; the matrix must have tree.n_features columns.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rarewood/matrix_view.hpp"
#include "rarewood/tree.hpp"

namespace rarewood {

// Node in which each row ends: a leaf, or a multiway node that has no branch for the row's category.
void apply(Tree const& tree, MatrixView const& rows, std::span<std::int64_t> nodes);

// (count + smoothing) / (total + smoothing x classes); uniform where that is 0 / 0.
void leaf_probabilities(double const* counts, std::size_t n_classes, double smoothing, double* probabilities);

// Mean over the trees of the leaf probabilities, row-major (rows x classes), by up to n_threads threads. Deterministic for any number of them.
void predict_proba(std::span<Tree const> trees, MatrixView const& rows, double smoothing, std::span<double> probabilities,
                   unsigned n_threads = 1);

// Nodes visited by each row, in compressed-row form.
struct DecisionPaths {
  std::vector<std::int64_t> row_begin;
  std::vector<std::int64_t> nodes;
};
DecisionPaths decision_paths(Tree const& tree, MatrixView const& rows);

}  // namespace rarewood
