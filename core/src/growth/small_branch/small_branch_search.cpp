#include "growth/small_branch/small_branch_search.hpp"

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>

#include "search/count_cuts.hpp"

namespace rarewood {

SmallBranchSearch::SmallBranchSearch(Dataset const& data, std::size_t n_cuts) : data_(data), n_cuts_(n_cuts) {
  narrow_.range.missing.assign(data.n_classes() + 1, 0.0);
  wide_.range.missing.assign(data.n_classes() + 1, 0.0);
}

std::optional<Split> SmallBranchSearch::find(NodeSearch& search, SearchState& state, SmallBranchRows const& rows) {
  rows_ = &rows;
  together_ = search.candidates().screening() && n_cuts_ + cut_lanes <= search.candidates().capacity();
  narrow_.n_drawings = wide_.n_drawings = n_settled_ = 0;
  asked_.clear();
  do {
    while (std::optional<Request> const request = search.ask(state))
      with_slots(request->feature, [&](auto& slots) { ask(slots, search, state, *request); });
  } while (settle(search, state));
  Choice const choice = search.decide(state);
  if (!choice.best.found) return std::nullopt;
  improvement_ = search.improvement(choice);
  auto const winner =
      std::find_if(asked_.begin(), asked_.end(), [&](Asked const& asked) { return asked.request.feature == choice.request.feature; });
  return with_slots(choice.request.feature, [&]<class T>(Slots<T>& slots) {
    rows.gather(choice.request.feature, slots.cells.data());
    std::span<float const> cells;
    if constexpr (std::is_same_v<T, float>) cells = {slots.cells.data(), rows.size()};
    return slots.drawings[winner->drawing].split_of(choice.request, choice.best, cells);
  });
}

template <class T>
void SmallBranchSearch::ask(Slots<T>& slots, NodeSearch& search, SearchState& state, Request const& request) {
  std::tie(slots.range.low, slots.range.high) = rows_->gather(request.feature, slots.cells.data());
  if (slots.range.low == slots.range.high) {
    search.consider(state, request, ColumnResult::nothing_to_split());
    return;
  }
  if (slots.n_drawings == slots.drawings.size()) slots.drawings.emplace_back();
  CutDrawing<T>& drawing = slots.drawings[slots.n_drawings];
  drawing.begin(n_cuts_, request.key);
  drawing.draw(slots.range, left_);
  Candidates& candidates = search.candidates();
  if (together_) {
    if (candidates.capacity() - candidates.size() < n_cuts_ + cut_lanes) settle(search, state);
    std::size_t const n_taken = propose(slots, drawing, request.min_cases, candidates);
    search.note_tried(state, n_taken > 0);
  } else {
    candidates.set_floor(search.floor(state));
    candidates.begin_column(request);
    count(slots, drawing);
    search.consider(state, request, {.best = drawing.consider(slots.range, left_, candidates)});
  }
  asked_.push_back({request, slots.n_drawings++, candidates.size()});
}

bool SmallBranchSearch::settle(NodeSearch& search, SearchState& state) {
  Candidates& candidates = search.candidates();
  if (!together_ || n_settled_ == asked_.size()) return false;
  ends_.clear();
  for (std::size_t i = n_settled_; i < asked_.size(); ++i) ends_.push_back(asked_[i].end);
  candidates.set_floor(search.floor(state));
  candidates.finish_columns(ends_, bests_);
  for (std::size_t i = 0; i < ends_.size(); ++i) search.compare(state, asked_[n_settled_ + i].request, {.best = bests_[i]});
  n_settled_ = asked_.size();
  state.any_valid = state.contest.leader.best.found;
  return !state.any_valid;
}

template <class T>
void SmallBranchSearch::count(Slots<T> const& slots, CutDrawing<T> const& drawing) {
  std::span<T const> const cuts = drawing.cuts();
  left_.reset(cuts.size(), data_.n_classes());
  for (std::size_t first = 0; first < cuts.size(); first += cut_lanes) {
    std::size_t const n = std::min(cut_lanes, cuts.size() - first);
    T padded[cut_lanes] = {};
    std::copy_n(cuts.data() + first, n, padded);
    count_cuts(slots.cells.data(), rows_->sections(), padded, n, left_.of(0) + first, left_.n);
  }
  add_cases(rows_->sections(), left_);
}

// Counts are written where they wait to be screened. Every cut leaves a row on either side; where more are asked for, cuts that leave fewer
// are written over.
template <class T>
std::size_t SmallBranchSearch::propose(Slots<T> const& slots, CutDrawing<T> const& drawing, double min_cases, Candidates& candidates) {
  std::span<T const> const cuts = drawing.cuts();
  std::size_t const before = candidates.size();
  for (std::size_t first = 0; first < cuts.size(); first += cut_lanes) {
    std::size_t const n = std::min(cut_lanes, cuts.size() - first);
    Candidates::Room const room = candidates.room(cut_lanes);
    if (n == 1) {
      count_one_cut(slots.cells.data(), rows_->sections(), cuts[first], room.left, room.stride);
    } else {
      T padded[cut_lanes] = {};
      std::copy_n(cuts.data() + first, n, padded);
      count_cuts(slots.cells.data(), rows_->sections(), padded, room.left, room.stride);
    }
    for (std::size_t c = 0; c < n; ++c) room.tags[c] = NumericTag{static_cast<Code>(first + c), false, false}.pack();
    if (min_cases <= 1.0) {
      candidates.commit(n);
      continue;
    }
    std::size_t n_taken = 0;
    for (std::size_t c = 0; c < n; ++c) {
      double cases = 0.0;
      for (ClassSection const section : rows_->sections()) {
        float* const counts = room.left + section.cls * room.stride;
        cases += static_cast<double>(counts[c]);
        counts[n_taken] = counts[c];
      }
      room.tags[n_taken] = room.tags[c];
      n_taken += cases >= min_cases && static_cast<double>(rows_->size()) - cases >= min_cases ? 1 : 0;
    }
    candidates.commit(n_taken);
  }
  return candidates.size() - before;
}

}  // namespace rarewood
