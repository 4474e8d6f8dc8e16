#include "search/splitters/random.hpp"

namespace rarewood {

void RandomSplitter::ask(NodeRows const& node, Request const& request) {
  last_->feature = request.feature;
  if (data_.is_nominal(request.feature)) {
    counter_.count(node, request.feature, last_->table);
  } else if (is_narrow(request.feature)) {
    last_->narrow.ask(node, node.data->narrow(request.feature), data_.has_missing(request.feature));
    last_->narrow_cuts.begin(n_cuts_, request.key);
  } else {
    wide_.ask(node, node.data->wide(request.feature), data_.has_missing(request.feature));
    last_->wide_cuts.begin(n_cuts_, request.key);
  }
}

ColumnResult RandomSplitter::search(NodeRows const& node, Request const& request, Candidates& candidates) {
  candidates.begin_column(request);
  ask(node, request);
  if (data_.is_nominal(request.feature)) {
    if (last_->table.size() < 2) return ColumnResult::nothing_to_split();
    return {.best = SubsetDrawing(n_cuts_, request.key).consider(last_->table, candidates)};
  }
  if (is_narrow(request.feature)) return search_numeric(node, last_->narrow, last_->narrow_cuts, candidates);
  return search_numeric(node, wide_, last_->wide_cuts, candidates);
}

template <class T>
ColumnResult RandomSplitter::search_numeric(NodeRows const& node, CutRows<T>& rows, CutDrawing<T>& drawing, Candidates& candidates) {
  if (rows.range().is_constant()) return ColumnResult::nothing_to_split();
  auto const count = [&](LeftCounts& counts) { rows.count(node, drawing.cuts(), counts); };
  return {.best = best_drawn(drawing, rows.range(), left_, count, candidates)};
}

Split RandomSplitter::split_of(NodeRows const& node, Request const& request, BestCandidate const& best) {
  bool const nominal = data_.is_nominal(request.feature);
  bool const narrow = !nominal && is_narrow(request.feature);
  if (kept_->feature != request.feature) {  // the stream of (node, column) gives the same cuts again
    ask(node, request);
    if (narrow) last_->narrow_cuts.draw(last_->narrow.range(), left_);
    if (!nominal && !narrow) last_->wide_cuts.draw(wide_.range(), left_);
    keep();
  }
  kept_->feature = no_feature;  // it is of this node only
  if (nominal) return SubsetDrawing(n_cuts_, request.key).split_of(request, best, kept_->table, data_.n_categories(request.feature));
  if (!narrow) return kept_->wide_cuts.split_of(request, best, {});
  bool const whole = !data_.has_missing(request.feature);
  return kept_->narrow_cuts.split_of(request, best, whole ? kept_->narrow.cells() : std::span<float const>{});
}

}  // namespace rarewood
