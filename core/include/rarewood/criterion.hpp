// What a split criterion is: a small value type that, told the class counts of a node, scores tables of its children.
// It sees counts and nothing else: no data, no tree, no other candidate.
//
// Words: *parent* = class counts of the node being split; *present* = count > 0; *score*: larger is better.
// Conventions for every criterion (spec): 0 log 0 = 0; an empty child or an absent class contributes nothing.
#pragma once

#include <concepts>
#include <string_view>

#include "rarewood/count_table.hpp"

namespace rarewood {

// What a search may take for granted about a criterion. Everything false is always correct, only slower.
struct SearchTraits {
  // On a numeric column the best cut never lies strictly inside a run of rows of one class
  // (true when the score is convex, or quasi-convex, in the left counts along such a run).
  bool run_ends_suffice = false;
  // Two classes: the best category subset is a prefix of the categories sorted by class proportion.
  bool prefix_subset_is_best = false;
  // More than two classes: sorting categories by every bipartition of the classes, not only one against the rest, finds the best subset.
  bool sort_by_class_bipartitions = false;
  // Equal scores are decided by the larger Hellinger distance (class confidence proportions).
  bool hellinger_breaks_ties = false;
  // Quinlan's column selection: thresholds by gain less their cost, columns by ratio among those of at least average gain.
  bool quinlan_selection = false;
  // A table with one child, the node itself, scores 0: scores are improvements over leaving the node whole.
  bool no_split_scores_zero = true;
  // Scores of a problem of at least three classes do not change, not even by a rounding, where classes absent from the node are left out.
  bool absent_classes_do_not_matter = false;
  // Largest number of classes of the problem; 0 = any.
  std::size_t max_classes = 0;
};

// `c.at_node(parent)` is called once per node and does what does not depend on the candidate;
// the object it returns scores the tables of that node.
template <class C>
concept Criterion =
    std::copy_constructible<C> && requires(C const c, Counts parent, DenseTable many, BinaryTable<2> two, BinaryTable<> some) {
      { C::name } -> std::convertible_to<std::string_view>;
      { c.traits } -> std::convertible_to<SearchTraits>;  // may depend on parameters
      { c.at_node(parent)(many) } -> std::same_as<double>;
      { c.at_node(parent)(two) } -> std::same_as<double>;
      { c.at_node(parent)(some) } -> std::same_as<double>;
    };

}  // namespace rarewood
