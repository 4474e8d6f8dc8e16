// Every threshold of a numeric attribute: the distinct values at the node in ascending order, a cut between each two of them.
// They are put in order by one of several walks, whichever is cheapest at the node (src/walks/, src/screened_walks/); all propose the same cuts, but for
// some that cannot win.
#pragma once

#include <memory>

#include "rarewood/gather.hpp"
#include "rarewood/scorer.hpp"
#include "rarewood/splitters/splitter.hpp"

namespace rarewood {

class ExactNumericSplitter {
 public:
  // traits.run_ends_suffice: cuts strictly inside a run of one class may be left out.
  ExactNumericSplitter(Dataset const& data, SearchTraits const& traits);
  ~ExactNumericSplitter();

  FeatureResult search(NodeRows const& node, Request const& request, Candidates& candidates);
  void keep() {}
  Split split_of(NodeRows const& node, Request const& request, BestCandidate const& best);

 private:
  enum class Walk;
  struct Walks;

  Walk cheapest(double min_cases, bool bitmap_failed, double by_class_bitmap) const;
  template <bool Weighted>
  FeatureResult search_by_cuts(NodeRows const& node, double min_cases, Walk walk, Candidates& candidates);

  Dataset const& data_;
  bool prune_runs_;
  Gathered<Code> codes_;
  std::unique_ptr<Walks> walks_;
};

static_assert(NodeSplitter<ExactNumericSplitter>);

}  // namespace rarewood
