// Random cuts along a nominal column, drawn without looking at the rows: a random proper subset of the categories at the node goes left;
// missing values act as one more category.
#pragma once

#include <vector>

#include "search/splitters/splitter.hpp"

namespace rarewood {

// Needs no second answer: the counts of a subset are sums of those of its categories.
class SubsetDrawing {
 public:
  SubsetDrawing(std::size_t n_cuts, Key key) : n_cuts_(n_cuts), key_(key) {}

  BestCandidate consider(CategoryTable const& table, Candidates& candidates) const;
  // Categories absent from the node join a random side (in columns of more than `scatter_up_to` categories: the heavier child, to keep
  // nodes small).
  Split split_of(Request const& request, BestCandidate const& best, CategoryTable const& table, std::size_t n_categories) const;

 private:
  static constexpr std::size_t scatter_up_to = 4096;

  // Which categories a candidate puts on its first side: drawn again from the same stream.
  std::vector<char> sides_of(CategoryTable const& table, Tag tag) const;

  std::size_t n_cuts_;
  Key key_;
};

}  // namespace rarewood
