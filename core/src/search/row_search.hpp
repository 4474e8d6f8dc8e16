// Answers the questions of a node search from rows in memory, and knows the splitters.
#pragma once

#include "search/node_search.hpp"
#include "search/splitters/exact_nominal.hpp"
#include "search/splitters/exact_numeric.hpp"
#include "search/splitters/hyperplane.hpp"
#include "search/splitters/random.hpp"

namespace rarewood {

class RowSearch {
 public:
  RowSearch(Dataset const& data, SearchTraits const& traits, GrowthOptions const& options, WorkMeter& meter);

  // Works off a search that has begun.
  std::optional<Split> find(NodeSearch& search, SearchState& state, NodeRows const& node);
  // Of the split found last, over leaving the node whole.
  double improvement() const { return improvement_; }

 private:
  // visit(splitter): the one that answers the request.
  template <class Visit>
  auto with_splitter(Request const& request, Visit visit) {
    if (request.is_pair()) return visit(hyperplane_);
    if (options_.splitter != Splitter::best) return visit(random_);
    return data_.is_nominal(request.feature) ? visit(exact_nominal_) : visit(exact_numeric_);
  }

  Dataset const& data_;
  GrowthOptions const& options_;
  WorkMeter& meter_;
  std::size_t passes_;  // over the rows of a node for one request, about; 32 classes are scored as fast as a row is counted
  ExactNumericSplitter exact_numeric_;
  ExactNominalSplitter exact_nominal_;
  RandomSplitter random_;
  HyperplaneSplitter hyperplane_;
  double improvement_ = 0.0;
};

}  // namespace rarewood
