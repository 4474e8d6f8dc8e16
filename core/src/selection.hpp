// Which feature's best candidate splits the node. Two rules: the highest score, and Quinlan's (C4.5), which chooses thresholds by
// information gain and attributes by gain ratio among those of at least average gain.
#pragma once

#include <memory>

#include "rarewood/scorer.hpp"
#include "rarewood/splitters/splitter.hpp"

namespace rarewood {

struct Choice {
  std::uint32_t feature = 0;
  BestCandidate best;
};

class Selection {
 public:
  virtual ~Selection() = default;
  // What scores the candidates of one feature, and what breaks their ties (may be null).
  virtual Scorer& search_scorer() = 0;
  virtual Scorer* tie_breaker() = 0;
  // Call after search_scorer().enter_node. parent: class counts with class weights.
  virtual void enter_node(Counts parent, double parent_total) = 0;
  // Smallest child a candidate of the feature may have, in cases.
  virtual double min_cases(bool nominal, double min_samples_leaf) const = 0;
  // True when the feature is the choice so far, unless only choose() can tell.
  virtual bool consider(std::uint32_t feature, FeatureResult const& result) = 0;
  virtual Choice choose() = 0;
  // Score of leaving the node whole: what an improvement is measured from.
  virtual double score_of_no_split() = 0;
};

std::unique_ptr<Selection> make_selection(Scorer& scorer, std::size_t n_classes);

}  // namespace rarewood
