// Many trees on one dataset, and the threads that grow them. Every tree has random streams of its own, named by the seed and its number,
// so the result does not depend on the number of threads and the first trees of a larger forest are those of a smaller one.
#pragma once

#include <span>
#include <vector>

#include "rarewood/dataset.hpp"
#include "rarewood/monitor.hpp"
#include "rarewood/plan.hpp"
#include "rarewood/predict.hpp"
#include "rarewood/tree.hpp"

namespace rarewood {

// At least one tree; all have the same features and classes.
struct Forest {
  std::vector<Tree> trees;

  std::size_t n_features() const { return trees.front().n_features; }
  std::size_t n_classes() const { return trees.front().n_classes; }

  // Memory it holds.
  std::size_t bytes() const;
  // Mean over the trees of their shares in what all splits gained, as shares again.
  std::vector<double> importances() const;
};

// The trees of both; throws std::invalid_argument when they were grown on different tables.
Forest joined(Forest const& first, Forest const& second);

// Told from any thread: poll as in growth, tree_done after each tree.
class ForestMonitor : public Monitor {
 public:
  virtual void tree_done() = 0;
};

// The forest of each plan. Prepares the forms of the columns that the plans read; then all trees of all plans share the threads.
std::vector<Forest> grow_forests(Dataset const& data, std::span<ForestPlan const* const> plans, unsigned n_threads, ForestMonitor& monitor);

// How often tree i of the plan drew each row, in the caller's row order.
std::vector<std::uint32_t> times_drawn(Dataset const& data, ForestPlan const& plan, std::size_t tree);

}  // namespace rarewood
