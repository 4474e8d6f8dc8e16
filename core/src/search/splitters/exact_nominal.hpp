// Splits of a nominal column. Only categories present at the node count; missing values, if any, act as one more category.
//   subset       two groups of categories: all of them for few categories, otherwise the prefixes of well-chosen orders (see `orders`)
//   one_vs_rest  one category against the others
//   multiway     one child per category
#pragma once

#include <vector>

#include "rarewood/growth_options.hpp"
#include "rarewood/scorer.hpp"
#include "search/category_counts.hpp"
#include "search/splitters/splitter.hpp"

namespace rarewood {

class ExactNominalSplitter {
 public:
  // traits.quinlan_selection: of a multiway split, two children of min_cases are enough.
  ExactNominalSplitter(Dataset const& data, NominalSplits splits, SearchTraits const& traits)
      : data_(data), splits_(splits), traits_(traits), counter_(data) {}

  ColumnResult search(NodeRows const& node, Request const& request, Candidates& candidates) {
    counter_.count(node, request.feature, table_);
    return consider(request, candidates);
  }
  // The deciding half of `search`: it needs no more than the table.
  ColumnResult consider(CategoryTable const& table, Request const& request, Candidates& candidates) {
    table_ = table;
    return consider(request, candidates);
  }
  void keep() {}
  Split split_of(NodeRows const& node, Request const& request, BestCandidate const& best);

 private:
  // An order of the categories: by the share of a group of classes, or by the first principal component.
  struct Order {
    std::vector<char> in_group;  // per class; empty: principal component
  };

  std::size_t n_present() const { return table_.size(); }
  std::size_t stride() const { return table_.stride; }
  double const* counts(std::size_t slot) const { return table_.row(slot); }

  ColumnResult consider(Request const& request, Candidates& candidates);
  std::vector<std::size_t> present_classes() const;
  bool enumerate_subsets(double min_cases) const;
  std::vector<Order> orders() const;
  std::vector<std::size_t> sorted_slots(Order const& order) const;
  std::vector<double> principal_component() const;

  void propose_subsets(Candidates& candidates);
  void propose_prefixes(Candidates& candidates);
  void propose_one_vs_rest(Candidates& candidates);
  BestCandidate score_multiway(double min_cases, Candidates& candidates) const;
  std::vector<char> left_slots(Tag tag) const;

  Dataset const& data_;
  NominalSplits splits_;
  SearchTraits traits_;
  CategoryCounts counter_;
  CategoryTable table_;  // of the node and feature in hand
};

static_assert(NodeSplitter<ExactNominalSplitter>);

}  // namespace rarewood
