// Finds the split of one node: draws the features, asks the splitter about each, lets the selection rule pick.
#pragma once

#include <memory>
#include <vector>

#include "feature_set.hpp"
#include "rarewood/growth.hpp"
#include "rarewood/splitters/exact_nominal.hpp"
#include "rarewood/splitters/exact_numeric.hpp"
#include "rarewood/splitters/hyperplane.hpp"
#include "rarewood/splitters/random.hpp"
#include "selection.hpp"

namespace rarewood {

class NodeSearch {
 public:
  NodeSearch(Dataset const& data, Scorer& scorer, std::span<double const> class_weights, GrowthOptions const& options, WorkMeter& meter);

  // kind == leaf: there is none. Features found constant leave the set. `key`: of the node.
  Split find(NodeRows const& node, FeatureSet& features, Key key);

  // Of the node and the split found last.
  double node_weight() const { return candidates_.parent_total(); }
  double improvement() const { return improvement_; }
  std::span<double const> class_weights() const { return candidates_.class_weights(); }

 private:
  Choice choose_feature(NodeRows const& node, FeatureSet& features, std::size_t n_wanted);
  FeatureResult search(NodeRows const& node, std::uint32_t feature);
  Split axis_split(NodeRows const& node, FeatureSet& features, std::size_t n_wanted);
  Split hyperplane_split(NodeRows const& node, FeatureSet& features);

  Dataset const& data_;
  GrowthOptions const& options_;
  SearchTraits traits_;
  Key key_{0, 0};  // of the node
  Rng rng_{key_};  // the node's own stream
  WorkMeter& meter_;
  std::unique_ptr<Selection> selection_;
  Candidates candidates_;
  ExactNumericSplitter exact_numeric_;
  ExactNominalSplitter exact_nominal_;
  RandomSplitter random_;
  HyperplaneSplitter hyperplane_;
  std::vector<std::uint32_t> members_;
  double improvement_ = 0.0;
};

}  // namespace rarewood
