// HeDExh candidates: random lines in the plane of two columns (see line_drawing.hpp). Rows that miss one of the two columns go to
// the side that scores better.
// Reads the values of numeric columns (Forms).
#pragma once

#include <memory>

#include "search/splitters/line_rows.hpp"

namespace rarewood {

class HyperplaneSplitter {
 public:
  HyperplaneSplitter(Dataset const& data, std::size_t n_lines, bool shortcuts)
      : n_lines_(n_lines), last_(std::make_unique<Asked>(data, shortcuts)), kept_(std::make_unique<Asked>(data, shortcuts)) {}

  ColumnResult search(NodeRows const& node, Request const& request, Candidates& candidates) {
    auto& [rows, drawing] = *last_;
    Box const& box = rows.ask(node, request.feature, request.other);
    candidates.begin_column(request);
    ColumnResult result;
    result.constant = box.is_constant(box.a);
    result.other_constant = box.is_constant(box.b);
    if (box.n_rows == 0 || result.constant || result.other_constant) return result;
    drawing.begin(n_lines_, request.key);
    counts_.reset(n_lines_, node.n_classes());
    auto const count = [this, &node](LineCounts& counts) { last_->rows.count(node, last_->drawing, counts); };
    result.best = best_drawn(drawing, box, counts_, count, candidates);
    return result;
  }
  void keep() { last_.swap(kept_); }
  // Of the pair kept last.
  Split split_of(NodeRows const&, Request const& request, BestCandidate const& best) {
    auto& [rows, drawing] = *kept_;
    bool const missing_left = NumericTag::unpack(best.tag).missing().value_or(false);
    return drawing.split_of(request, best, rows.sides_of(drawing.asked(), drawing.line_of(best.tag), missing_left ? 0 : 1));
  }

 private:
  struct Asked {
    Asked(Dataset const& data, bool shortcuts) : rows(data, shortcuts) {}
    LineRows rows;
    LineDrawing drawing;
  };

  std::size_t n_lines_;
  std::unique_ptr<Asked> last_;
  std::unique_ptr<Asked> kept_;  // the best pair so far
  LineCounts counts_;
};

static_assert(NodeSplitter<HyperplaneSplitter>);

}  // namespace rarewood
