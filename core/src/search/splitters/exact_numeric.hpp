// Every threshold of a numeric column: the distinct values at the node in ascending order, a cut between each two of them.
// One of several cut orders (search/cut_orders/) puts them in order, whichever is cheapest at the node; all propose the same cuts, but for
// some that cannot win.
#pragma once

#include <memory>

#include "rarewood/scorer.hpp"
#include "search/node_cells.hpp"
#include "search/splitters/splitter.hpp"

namespace rarewood {

class ExactNumericSplitter {
 public:
  // traits.run_ends_suffice: cuts strictly inside a run of one class may be left out.
  ExactNumericSplitter(Dataset const& data, SearchTraits const& traits);
  ~ExactNumericSplitter();

  ColumnResult search(NodeRows const& node, Request const& request, Candidates& candidates);
  void keep() {}
  Split split_of(NodeRows const& node, Request const& request, BestCandidate const& best);

 private:
  enum class CutOrder;
  struct CutOrders;

  CutOrder cheapest(double min_cases, bool bitmap_failed, double by_class_bitmap) const;
  template <bool Weighted>
  ColumnResult search_by_cuts(NodeRows const& node, double min_cases, CutOrder order, Candidates& candidates);

  Dataset const& data_;
  bool prune_runs_;
  NodeCells<Code> codes_;
  std::unique_ptr<CutOrders> orders_;
};

static_assert(NodeSplitter<ExactNumericSplitter>);

}  // namespace rarewood
