// Out-of-bag sums: what the trees of a forest say of the training rows that they did not draw.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rarewood/dataset.hpp"
#include "rarewood/monitor.hpp"
#include "rarewood/plan.hpp"
#include "rarewood/predict.hpp"
#include "rarewood/tree.hpp"

namespace rarewood {

// Sum of the leaf probabilities over the trees that did not see a row, and their number, per row of the dataset. The walk to a leaf costs more
// than what is read there, so leaves may be smoothed by several pseudo-counts at once.
struct OutOfBag {
  std::vector<double> sums;  // rows x pseudo-counts x classes
  std::vector<std::uint32_t> n_trees;
};

// `plan`: the one the trees were grown by, on `data`. Sums are made tree by tree in order, whatever the number of threads. What they were after
// the first half of the trees goes to `half`, if it is asked for.
OutOfBag out_of_bag(Dataset const& data, ForestPlan const& plan, std::span<Tree const> trees, std::span<PseudoCounts const> pseudo_counts,
                    unsigned n_threads, Monitor& monitor, OutOfBag* half = nullptr);

}  // namespace rarewood
