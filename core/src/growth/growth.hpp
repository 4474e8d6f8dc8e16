// Grows one tree: which node next, which features it may use, when to stop, which candidate wins. Knows splitters and a Scorer, no criterion.
#pragma once

#include <cstdint>
#include <span>

#include "base/column_set.hpp"
#include "base/rng.hpp"
#include "rarewood/dataset.hpp"
#include "rarewood/growth_options.hpp"
#include "rarewood/monitor.hpp"
#include "rarewood/monotone.hpp"
#include "rarewood/scorer.hpp"
#include "rarewood/subtree.hpp"
#include "rarewood/tree.hpp"
#include "samples/sample.hpp"

namespace rarewood {

// `class_weights`: one per class, or empty. The sample is used up. `key`: of everything random about the root; a child's is derived from its
// parent's.
Tree grow_tree(Dataset const& data, Sample sample, std::span<double const> class_weights, Scorer& scorer, GrowthOptions const& options,
               Key key, Monitor& monitor);

// Where a tree begins, or goes on that was begun elsewhere.
struct GrowthStart {
  Key key;
  std::size_t depth;
  ColumnSet features;  // those not known to be constant
  ShareBounds bounds{};
};

// What `grow_tree` would have grown below the node.
Subtree grow_subtree(Dataset const& data, Sample sample, std::span<double const> class_weights, Scorer& scorer,
                     GrowthOptions const& options, GrowthStart start, Monitor& monitor);

}  // namespace rarewood
