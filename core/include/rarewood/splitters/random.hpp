// Extra-trees style candidates: a few random cuts per attribute, drawn without looking at the rows.
//   numeric  uniform between the smallest and the largest value at the node; value <= cut goes left
//   nominal  a random proper subset of the categories at the node goes left; missing values act as one more category
// Needs a dataset with NumericStorage::values.
#pragma once

#include <vector>

#include "rarewood/category_counts.hpp"
#include "rarewood/gather.hpp"
#include "rarewood/rng.hpp"
#include "rarewood/splitters/splitter.hpp"

namespace rarewood {

class RandomSplitter {
 public:
  RandomSplitter(Dataset const& data, std::size_t n_cuts)
      : data_(data), n_cuts_(n_cuts), stride_(data.n_classes() + 1), categories_(data) {}

  FeatureResult search(NodeRows const& node, std::size_t feature, double min_cases, Key key, Candidates& candidates);

  // Keeps the cells of the feature searched last for split_of: it is the best so far.
  void keep_cells(std::size_t feature);

  // The split behind the best candidate of a feature, searched with the same key. For categories the lighter child comes first, and those absent from the node join a
  // random side (in columns of more than `scatter_up_to` categories: the heavier child, to keep nodes small).
  Split split_of(std::size_t feature, BestCandidate const& best, Key key) const;

 private:
  static constexpr std::size_t scatter_up_to = 4096;
  static constexpr std::size_t no_feature = static_cast<std::size_t>(-1);

  template <class T>
  FeatureResult search_numeric(NodeRows const& node, std::span<T const> column, bool has_missing, Gathered<T>& gathered, Rng& rng,
                               Candidates& candidates);
  template <class T>
  void count_left(NodeRows const& node, Gathered<T> const& gathered, std::span<T const> cuts);
  void propose_with_missing(std::size_t n_cuts, double const* missing, Candidates& candidates);
  std::vector<float>& scratch_cuts(float) { return narrow_cuts_; }
  std::vector<double>& scratch_cuts(double) { return wide_cuts_; }
  FeatureResult search_nominal(NodeRows const& node, std::size_t feature, Rng& rng, Candidates& candidates);
  Split subset_of(std::size_t feature, BestCandidate const& best, Key key) const;

  Dataset const& data_;
  std::size_t n_cuts_;
  std::size_t stride_;  // n_classes counts and cases
  Gathered<float> narrow_;
  Gathered<float> kept_;
  std::size_t kept_feature_ = no_feature;
  Gathered<double> wide_;
  std::vector<double> left_;  // class by class and cases; the cuts of a class side by side
  std::vector<double> with_missing_;
  std::vector<std::int32_t> counts_;
  std::vector<float> narrow_cuts_;
  std::vector<double> wide_cuts_;
  CategoryCounts categories_;
};

}  // namespace rarewood
