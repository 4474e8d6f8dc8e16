// Splits of a nominal attribute. Only categories present at the node count; missing values, if any, act as one more category.
//   subset       two groups of categories: all of them for few categories, otherwise the prefixes of well-chosen orders (see `orders`)
//   one_vs_rest  one category against the others
//   multiway     one child per category
#pragma once

#include <vector>

#include "rarewood/category_counts.hpp"
#include "rarewood/growth_options.hpp"
#include "rarewood/splitters/splitter.hpp"

namespace rarewood {

class ExactNominalSplitter {
 public:
  ExactNominalSplitter(Dataset const& data, NominalSplits splits);

  // `some_children_may_be_small`: Quinlan's rule for multiway splits, two children of min_cases are enough.
  FeatureResult search(NodeRows const& node, std::size_t feature, double min_cases, bool some_children_may_be_small,
                       SearchTraits const& traits, Candidates& candidates);

  // The split behind a tag of the node and feature searched before; the lighter child comes first.
  Split split_of(NodeRows const& node, std::size_t feature, BestCandidate const& best, SearchTraits const& traits);

 private:
  // An order of the categories: by the share of a group of classes, or by the first principal component.
  struct Order {
    std::vector<char> in_group;  // per class; empty: principal component
  };

  std::size_t n_present() const { return counts_.size(); }
  std::size_t stride() const { return counts_.stride(); }
  double const* counts(std::size_t slot) const { return counts_.row(slot); }

  std::vector<std::size_t> present_classes() const;
  bool enumerate_subsets(SearchTraits const& traits, double min_cases) const;
  std::vector<Order> orders(SearchTraits const& traits) const;
  std::vector<std::size_t> sorted_slots(Order const& order) const;
  std::vector<double> principal_component() const;

  void propose_subsets(Candidates& candidates);
  void propose_prefixes(SearchTraits const& traits, Candidates& candidates);
  void propose_one_vs_rest(Candidates& candidates);
  BestCandidate score_multiway(double min_cases, bool some_children_may_be_small, Candidates& candidates) const;
  std::vector<char> left_slots(Tag tag, SearchTraits const& traits) const;

  Dataset const& data_;
  NominalSplits splits_;
  CategoryCounts counts_;
};

}  // namespace rarewood
