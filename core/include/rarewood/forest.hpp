// Many trees on one prepared dataset: which rows each tree sees, and the threads that grow them. Every tree has random streams of its own,
// named by the seed and its number, so the result does not depend on the number of threads and the first trees of a larger forest are
// those of a smaller one.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "rarewood/growth.hpp"

namespace rarewood {

// all: every row. bootstrap: as many draws with replacement as rows. stratified: the same inside each class, so none is ever lost.
// balanced: as many draws from each class as the smallest has rows. subsample: class_sizes[j] rows of class j, without replacement.
enum class Sampling { all, bootstrap, stratified, balanced, subsample };

Sampling sampling_named(std::string_view name);  // throws std::invalid_argument for an unknown name

struct ForestOptions {
  GrowthOptions growth;
  std::size_t n_trees = 100;
  std::size_t first_tree = 0;  // number of the first tree: continues a forest grown before with the same seed
  Sampling sampling = Sampling::bootstrap;
  std::vector<std::size_t> class_sizes;  // for Sampling::subsample, one per class
  std::uint64_t seed = 0;
};

// The key of the random streams from which tree `tree` draws its features and cuts; a single tree is the first of a forest.
Key growth_key(std::uint64_t seed, std::size_t tree);

// Told from any thread: poll as in growth, tree_done after each tree.
class ForestMonitor : public Monitor {
 public:
  virtual void tree_done() = 0;
};

// Criterion of a tree, by its number.
using ScorerOfTree = std::function<std::unique_ptr<Scorer>(std::size_t)>;

// One forest of several on the same table.
struct Problem {
  std::vector<std::int32_t> group_of;     // Dataset::regrouped; empty: the classes as they are
  std::span<double const> weights;        // in the caller's row order, empty = 1; they multiply the number of times a row was drawn
  std::span<double const> class_weights;  // one per group, empty = 1
  ScorerOfTree scorer_of;
  ForestOptions options;
};

// The trees of each problem; all trees of all problems share the threads.
std::vector<std::vector<Tree>> grow_forests(Dataset const& data, std::span<Problem const> problems, unsigned n_threads,
                                            ForestMonitor& monitor);

// How often tree `tree` drew each row, in the caller's row order.
std::vector<std::uint32_t> times_drawn(Dataset const& data, std::span<double const> weights, ForestOptions const& options,
                                       std::size_t tree);

// Sum of the leaf probabilities over the trees that did not see a row, and their number, per row of the dataset.
struct OutOfBag {
  std::vector<double> sums;  // rows x classes
  std::vector<std::uint32_t> n_trees;
};
OutOfBag out_of_bag(Dataset const& data, std::span<double const> weights, std::span<Tree const> trees, double smoothing,
                    ForestOptions const& options, unsigned n_threads);

}  // namespace rarewood
