// Grows one tree: which node next, which features it may use, when to stop, which candidate wins. Knows splitters and a Scorer, no criterion.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "rarewood/dataset.hpp"
#include "rarewood/monitor.hpp"
#include "rarewood/rng.hpp"
#include "rarewood/sample.hpp"
#include "rarewood/scorer.hpp"
#include "rarewood/splitters/exact_nominal.hpp"
#include "rarewood/tree.hpp"

namespace rarewood {

// best: every threshold or subset; random: n_cuts random ones per attribute; hyperplane: n_cuts random lines per pair of attributes.
enum class Splitter { best, random, hyperplane };

Splitter splitter_named(std::string_view name);  // throws std::invalid_argument for an unknown name

// How numeric columns must be stored for a splitter.
inline NumericStorage storage_for(Splitter splitter) { return splitter == Splitter::best ? NumericStorage::ranks : NumericStorage::values; }

// Which of the waiting nodes is split next. No tree shows it; orders other than the first are there to prove that.
enum class GrowthOrder { depth_first, breadth_first, random };

GrowthOrder growth_order_named(std::string_view name);  // throws std::invalid_argument for an unknown name

struct GrowthOptions {
  Splitter splitter = Splitter::best;
  std::size_t n_cuts = 10;
  std::size_t max_features = 0;    // features (hyperplane: pairs of them) tried per node; 0 = as many as there are
  std::size_t max_depth = 0;       // 0 = unlimited
  double min_samples_split = 2.0;  // cases
  double min_samples_leaf = 1.0;   // cases
  NominalSplits nominal = NominalSplits::subset;
  GrowthOrder order = GrowthOrder::depth_first;
};

// `class_weights`: one per class, or empty. The sample is used up. `key`: of everything random about the root; a child's is derived from its parent's.
Tree grow_tree(Dataset const& data, Sample sample, std::span<double const> class_weights, Scorer& scorer, GrowthOptions const& options,
               Key key, Monitor& monitor);

}  // namespace rarewood
