// Answers a node search from the rows of a small branch: what `RowSearch` does for random cuts, without what large nodes and awkward columns need.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "growth/small_branch/small_branch_rows.hpp"
#include "search/node_search.hpp"
#include "search/splitters/cut_drawing.hpp"

namespace rarewood {

class SmallBranchSearch {
 public:
  SmallBranchSearch(Dataset const& data, std::size_t n_cuts);

  // Works off a search that has begun.
  std::optional<Split> find(NodeSearch& search, SearchState& state, SmallBranchRows const& rows);
  // Of the split found last, over leaving the node whole.
  double improvement() const { return improvement_; }

 private:
  // A column of the node that was asked about and is not constant.
  struct Asked {
    Request request;
    std::size_t drawing;  // in the slots of its type
    std::size_t end;      // of its candidates among those that wait
  };
  template <class T>
  struct Slots {
    std::array<T, SmallBranchRows::most> cells;
    Range<T> range;
    std::vector<CutDrawing<T>> drawings;  // of the node; used again
    std::size_t n_drawings = 0;
  };

  // visit(slots): of the type that the column is stored in.
  template <class Visit>
  auto with_slots(std::uint32_t feature, Visit visit) {
    return data_.narrow(feature).empty() ? visit(wide_) : visit(narrow_);
  }

  template <class T>
  void ask(Slots<T>& slots, NodeSearch& search, SearchState& state, Request const& request);
  // Scores the candidates that wait. True: none of them is valid, ask on.
  bool settle(NodeSearch& search, SearchState& state);
  template <class T>
  void count(Slots<T> const& slots, CutDrawing<T> const& drawing);
  // Returns how many were taken.
  template <class T>
  std::size_t propose(Slots<T> const& slots, CutDrawing<T> const& drawing, double min_cases, Candidates& candidates);

  Dataset const& data_;
  std::size_t n_cuts_;
  SmallBranchRows const* rows_ = nullptr;  // of the node
  bool together_ = false;                  // candidates of all its columns are screened together
  Slots<float> narrow_;
  Slots<double> wide_;
  std::vector<Asked> asked_;
  std::size_t n_settled_ = 0;  // of them
  std::vector<std::size_t> ends_;
  std::vector<BestCandidate> bests_;
  LeftCounts left_;
  double improvement_ = 0.0;
};

}  // namespace rarewood
