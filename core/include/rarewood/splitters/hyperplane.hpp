// HeDExh candidates: random lines in the plane of two attributes (see line_drawing.hpp). Rows that miss one of the two attributes go to
// the side that scores better.
// Reads the values of numeric columns (Forms).
#pragma once

#include <utility>

#include "rarewood/splitters/line_rows.hpp"

namespace rarewood {

class HyperplaneSplitter {
 public:
  HyperplaneSplitter(Dataset const& data, std::size_t n_lines) : n_lines_(n_lines), rows_(data), kept_rows_(data) {}

  FeatureResult search(NodeRows const& node, Request const& request, Candidates& candidates) {
    Box const& box = rows_.ask(node, request.feature, request.other);
    candidates.begin_feature(request.min_cases);
    FeatureResult result;
    result.constant = box.is_constant(box.a);
    result.other_constant = box.is_constant(box.b);
    if (box.n_rows == 0 || result.constant || result.other_constant) return result;
    drawing_.begin(n_lines_, request.key);
    rows_.make_room(n_lines_, counts_);
    result.best = best_drawn(drawing_, box, counts_, [&](LineCounts& counts) { rows_.count(node, drawing_, counts); }, candidates);
    return result;
  }
  void keep() {
    std::swap(drawing_, kept_drawing_);
    std::swap(rows_, kept_rows_);
  }
  // Of the pair kept last.
  Split split_of(NodeRows const&, Request const& request, BestCandidate const& best) {
    Line const& line = kept_drawing_.line_of(best.tag);
    return kept_drawing_.split_of(request, best, kept_rows_.sides_of(line));
  }

 private:
  std::size_t n_lines_;
  LineRows rows_;
  LineDrawing drawing_;
  LineCounts counts_;
  LineRows kept_rows_;  // of the best pair so far
  LineDrawing kept_drawing_;
};

static_assert(NodeSplitter<HyperplaneSplitter>);

}  // namespace rarewood
