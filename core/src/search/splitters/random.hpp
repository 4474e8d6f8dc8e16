// Extra-trees style candidates: a few random cuts per column, drawn without looking at the rows (see cut_drawing.hpp, subset_drawing.hpp).
// Reads the values of numeric columns (Forms).
#pragma once

#include <memory>
#include <vector>

#include "search/category_counts.hpp"
#include "search/splitters/cut_drawing.hpp"
#include "search/splitters/cut_rows.hpp"
#include "search/splitters/subset_drawing.hpp"

namespace rarewood {

class RandomSplitter {
 public:
  RandomSplitter(Dataset const& data, std::size_t n_cuts) : data_(data), n_cuts_(n_cuts), counter_(data) {}

  ColumnResult search(NodeRows const& node, Request const& request, Candidates& candidates);
  void keep() { last_.swap(kept_); }
  Split split_of(NodeRows const& node, Request const& request, BestCandidate const& best);

 private:
  static constexpr std::uint32_t no_feature = static_cast<std::uint32_t>(-1);

  // What is known of a feature of the node once it has been asked.
  struct Asked {
    std::uint32_t feature = no_feature;
    CutRows<float> narrow;
    CutDrawing<float> narrow_cuts;
    CutDrawing<double> wide_cuts;
    CategoryTable table;
  };

  bool is_narrow(std::uint32_t feature) const { return !data_.narrow(feature).empty(); }
  // Asks the rows for the range of their cells, or counts their categories.
  void ask(NodeRows const& node, Request const& request);
  template <class T>
  ColumnResult search_numeric(NodeRows const& node, CutRows<T>& rows, CutDrawing<T>& drawing, Candidates& candidates);

  Dataset const& data_;
  std::size_t n_cuts_;
  std::unique_ptr<Asked> last_ = std::make_unique<Asked>();  // pointers: keeping swaps them once or twice per node
  std::unique_ptr<Asked> kept_ = std::make_unique<Asked>();
  CutRows<double> wide_;
  LeftCounts left_;
  CategoryCounts counter_;
};

static_assert(NodeSplitter<RandomSplitter>);

}  // namespace rarewood
