// The contract of a splitter: it proposes tables for one feature, or a pair of them, of one node, and knows the split behind each.
#pragma once

#include <concepts>
#include <optional>
#include <span>
#include <vector>

#include "rarewood/node_test.hpp"
#include "search/answers.hpp"
#include "search/candidates.hpp"
#include "search/request.hpp"

namespace rarewood {

struct ColumnResult {
  bool constant = false;        // nothing to split on here, nor below: one value, or only missing ones
  bool other_constant = false;  // the same of the second of a pair
  BestCandidate best;
  double n_thresholds = 0.0;  // exact numeric splits: how many cuts were wide enough to be candidates

  static ColumnResult nothing_to_split() {
    ColumnResult result;
    result.constant = true;
    return result;
  }
};

// search: proposes candidates and returns the best. keep: the request searched last is the best of its node so far. split_of: the split
// behind the best candidate of a request of the same node, whether it was kept or not. The lighter child of a set of categories comes first.
template <class S>
concept NodeSplitter =
    requires(S splitter, NodeRows const& node, Request const& request, BestCandidate const& best, Candidates& candidates) {
      { splitter.search(node, request, candidates) } -> std::same_as<ColumnResult>;
      { splitter.keep() } -> std::same_as<void>;
      { splitter.split_of(node, request, best) } -> std::same_as<Split>;
    };

// Candidates that are drawn before rows are counted, in two halves that meet in answers.hpp: rows are asked for ranges, then for counts, and
// see no criterion; a drawing sees no rows. So the answers may as well be sums over the parts of a table, and a drawing may wait
// for them. draw: draws what is to be counted next, with a view to the counts of what was drawn before; false: nothing more.
template <class D>
concept Drawing = requires(D drawing, typename D::Ranges const& ranges, typename D::Counts const& counts, Candidates& candidates) {
  { drawing.begin(std::size_t{}, Key(0, 0)) } -> std::same_as<void>;
  { drawing.draw(ranges, counts) } -> std::same_as<bool>;
  { drawing.consider(ranges, counts, candidates) } -> std::same_as<BestCandidate>;
};

// The search of rows at hand. count(counts): fills in what the drawing has drawn last.
template <Drawing D, class Count>
BestCandidate best_drawn(D& drawing, typename D::Ranges const& ranges, typename D::Counts& counts, Count count, Candidates& candidates) {
  while (drawing.draw(ranges, counts)) count(counts);
  return drawing.consider(ranges, counts, candidates);
}

}  // namespace rarewood
