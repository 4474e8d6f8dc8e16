// Which feature's best candidate splits the node. Two rules: the highest score, and Quinlan's (C4.5), which chooses thresholds by
// information gain and columns by gain ratio among those of at least average gain.
#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include "rarewood/scorer.hpp"
#include "search/splitters/splitter.hpp"

namespace rarewood {

struct Choice {
  Request request;
  BestCandidate best;
};

// What a rule has seen of a node so far.
struct Contest {
  struct Option {
    Choice choice;
    double gain;
  };

  double node_weight = 0.0;     // class weights applied
  Choice leader;                // highest score
  std::vector<Option> options;  // Quinlan's
};

class Selection {
 public:
  virtual ~Selection() = default;
  // What scores the candidates of one feature, and what breaks their ties (may be null).
  virtual Scorer& search_scorer() = 0;
  virtual Scorer* tie_breaker() = 0;
  // Smallest child a candidate of the feature may have, in cases.
  virtual double min_cases(Contest const& contest, bool nominal, double min_samples_leaf) const = 0;
  // True when the feature is the choice so far, unless only choose() can tell.
  virtual bool consider(Contest& contest, Request const& request, ColumnResult const& result) const = 0;
  virtual Choice choose(Contest const& contest) const = 0;
  // Nothing that scores no more than this can still be chosen.
  virtual double floor(Contest const&) const { return -INFINITY; }
  // Score of leaving the node whole: what an improvement is measured from. parent: class counts with class weights.
  virtual double score_of_no_split(Counts parent) = 0;
};

std::unique_ptr<Selection> make_selection(Scorer& scorer, std::size_t n_classes);

}  // namespace rarewood
