// Extra-trees style candidates: a few random cuts per attribute, drawn without looking at the rows (see cut_drawing.hpp).
// Reads the values of numeric columns (Forms).
#pragma once

#include <vector>

#include "rarewood/category_counts.hpp"
#include "rarewood/gather.hpp"
#include "rarewood/splitters/cut_drawing.hpp"

namespace rarewood {

class RandomSplitter {
 public:
  RandomSplitter(Dataset const& data, std::size_t n_cuts) : data_(data), n_cuts_(n_cuts), counter_(data) {}

  FeatureResult search(NodeRows const& node, Request const& request, Candidates& candidates);
  void keep() { std::swap(last_, kept_); }
  // Categories absent from the node join a random side (in columns of more than `scatter_up_to` categories: the heavier child, to keep
  // nodes small).
  Split split_of(NodeRows const& node, Request const& request, BestCandidate const& best);

 private:
  static constexpr std::size_t scatter_up_to = 4096;
  static constexpr std::uint32_t no_feature = static_cast<std::uint32_t>(-1);

  // What is known of a feature of the node once it has been asked.
  struct Asked {
    std::uint32_t feature = no_feature;
    Gathered<float> narrow;
    CutDrawing<float> narrow_cuts;
    CutDrawing<double> wide_cuts;
    CategoryTable table;
  };

  bool is_narrow(std::uint32_t feature) const { return !data_.narrow(feature).empty(); }
  // Asks the rows for the range of their cells, or counts their categories.
  void ask(NodeRows const& node, Request const& request);
  template <class T>
  FeatureResult search_numeric(NodeRows const& node, Gathered<T> const& gathered, CutDrawing<T>& drawing, Candidates& candidates);
  template <class T>
  void count_left(NodeRows const& node, Gathered<T> const& gathered, std::span<T const> cuts, LeftCounts& counts);
  template <class T>
  void count_left_weighted(NodeRows const& node, Gathered<T> const& gathered, std::span<T const> cuts, LeftCounts& counts);
  Split subset_of(Request const& request, BestCandidate const& best) const;

  Dataset const& data_;
  std::size_t n_cuts_;
  Asked last_, kept_;
  Gathered<double> wide_;
  LeftCounts left_;
  std::vector<std::int32_t> counts_;
  CategoryCounts counter_;
};

static_assert(NodeSplitter<RandomSplitter>);

}  // namespace rarewood
