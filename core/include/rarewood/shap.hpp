// Shapley values: what each column contributes to the score of a row. In the game of a tree, the value of a set of known columns is found by
// descending: a test whose columns are all known is followed, any other counts as the mean of the children by the weight of their training rows
// (Lundberg et al., "From local explanations to global understanding with explainable AI for trees", 2020). A line is decided only
// when both its columns are known.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rarewood/matrix_view.hpp"
#include "rarewood/monitor.hpp"
#include "rarewood/predict.hpp"
#include "rarewood/tree.hpp"

namespace rarewood {

struct Contributions {
  std::vector<double> base;       // outputs: the value of knowing nothing
  std::vector<double> values;     // rows x columns x outputs; base and the values of a row add up to its score
  std::vector<double> variances;  // of the values, in the same order; empty if all are exact
};

struct Explaining {
  std::vector<std::uint32_t> classes;  // the outputs
  std::uint32_t n_pairs = 16;          // of permutations, for each tree with tests of several columns; at least 2
  std::uint64_t seed = 0;
  unsigned n_threads = 1;
};

// Of the scores that `predict_proba` gives. Trees whose tests read one column each are explained exactly; others by pairs of a random
// permutation of their columns and its reverse, the same for every row: a row's values depend neither on other rows nor on threads.
Contributions explain(std::span<Tree const> trees, MatrixView const& rows, PseudoCounts const& pseudo_counts,
                      std::span<double const> tree_weights, Explaining const& how, Monitor& monitor);

}  // namespace rarewood
