// Answers the questions of a node search from several parts of its rows, as if each part were on a machine of its own: only answers leave a
// part, and they are added up before anything is decided. Slower than `RowSearch` and the same to the bit where weights are whole numbers;
// exact thresholds, which no small answer can give, are refused.
#pragma once

#include <optional>
#include <vector>

#include "node_search.hpp"
#include "rarewood/splitters/exact_nominal.hpp"
#include "rarewood/splitters/hyperplane.hpp"
#include "rarewood/splitters/random.hpp"

namespace rarewood {

class PartedSearch {
 public:
  PartedSearch(Dataset const& data, SearchTraits const& traits, GrowthOptions const& options);

  // As in RowSearch.
  std::optional<Split> find(NodeSearch& search, SearchState& state, NodeRows const& node);
  double improvement() const { return improvement_; }

 private:
  // Some rows of a node.
  struct Part {
    std::vector<Position> positions;
    std::vector<double> weights;
    std::vector<std::size_t> class_begin;
    NodeRows rows;
  };
  // What a request led to; the split is that of the best candidate, if one was found.
  struct Outcome {
    FeatureResult result;
    std::optional<Split> split;
  };

  void divide(NodeRows const& node);
  Outcome search_pair(Request const& request, Candidates& candidates);
  Outcome search_categories(NodeRows const& node, Request const& request, Candidates& candidates);
  template <class T>
  Outcome search_numbers(Request const& request, std::span<T const> column, Candidates& candidates);

  Dataset const& data_;
  GrowthOptions const& options_;
  ExactNominalSplitter exact_nominal_;
  CategoryCounts counter_;
  std::vector<Part> parts_;
  double improvement_ = 0.0;
};

}  // namespace rarewood
