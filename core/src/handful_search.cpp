#include "handful_search.hpp"

#include <algorithm>
#include <tuple>
#include <type_traits>
#include <utility>

#include "wide.hpp"

namespace rarewood {

namespace {

constexpr std::size_t lanes = 16;

// Counts cells at most each of `lanes` cuts, class by class: all cuts of a cell at once. Numbers are written `stride` apart.
template <class T, class Number>
[[gnu::always_inline]] inline void count_cuts(T const* cells, std::span<HandfulRows::Section const> sections, T const* cuts, std::size_t n,
                                              Number* counts, std::size_t stride) {
  std::size_t i = 0;
  for (HandfulRows::Section const section : sections) {
    std::int32_t at[lanes] = {};
    for (; i < section.end; ++i) {
      T const cell = cells[i];
#pragma omp simd
      for (std::size_t c = 0; c < lanes; ++c) at[c] += cell <= cuts[c] ? 1 : 0;
    }
    Number* const to = counts + section.cls * stride;
    for (std::size_t c = 0; c < n; ++c) to[c] = static_cast<Number>(at[c]);
  }
}

RAREWOOD_WIDE(void, count_lanes,
              (float const* cells, std::span<HandfulRows::Section const> sections, float const* cuts, float* counts, std::size_t stride),
              (cells, sections, cuts, counts, stride)) {
  count_cuts(cells, sections, cuts, lanes, counts, stride);
}
RAREWOOD_WIDE(void, count_lanes,
              (double const* cells, std::span<HandfulRows::Section const> sections, double const* cuts, float* counts, std::size_t stride),
              (cells, sections, cuts, counts, stride)) {
  count_cuts(cells, sections, cuts, lanes, counts, stride);
}
RAREWOOD_WIDE(void, count_some,
              (float const* cells, std::span<HandfulRows::Section const> sections, float const* cuts, std::size_t n, double* counts,
               std::size_t stride),
              (cells, sections, cuts, n, counts, stride)) {
  count_cuts(cells, sections, cuts, n, counts, stride);
}
RAREWOOD_WIDE(void, count_some,
              (double const* cells, std::span<HandfulRows::Section const> sections, double const* cuts, std::size_t n, double* counts,
               std::size_t stride),
              (cells, sections, cuts, n, counts, stride)) {
  count_cuts(cells, sections, cuts, n, counts, stride);
}

template <class T, class Number>
void count_one(T const* cells, std::span<HandfulRows::Section const> sections, T cut, Number* counts, std::size_t stride) {
  std::size_t i = 0;
  for (HandfulRows::Section const section : sections) {
    std::int32_t count = 0;
    for (; i < section.end; ++i) count += cells[i] <= cut ? 1 : 0;
    counts[section.cls * stride] = static_cast<Number>(count);
  }
}

}  // namespace

HandfulSearch::HandfulSearch(Dataset const& data, std::size_t n_cuts) : data_(data), n_cuts_(n_cuts) {
  narrow_.range.missing.assign(data.n_classes() + 1, 0.0);
  wide_.range.missing.assign(data.n_classes() + 1, 0.0);
}

std::optional<Split> HandfulSearch::find(NodeSearch& search, SearchState& state, HandfulRows const& rows) {
  rows_ = &rows;
  together_ = search.candidates().screening() && n_cuts_ + lanes <= search.candidates().capacity();
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
void HandfulSearch::ask(Slots<T>& slots, NodeSearch& search, SearchState& state, Request const& request) {
  std::tie(slots.range.low, slots.range.high) = rows_->gather(request.feature, slots.cells.data());
  if (slots.range.low == slots.range.high) {
    search.consider(state, request, FeatureResult::nothing_to_split());
    return;
  }
  if (slots.n_drawings == slots.drawings.size()) slots.drawings.emplace_back();
  CutDrawing<T>& drawing = slots.drawings[slots.n_drawings];
  drawing.begin(n_cuts_, request.key);
  drawing.draw(slots.range, left_);
  Candidates& candidates = search.candidates();
  if (together_) {
    if (candidates.capacity() - candidates.size() < n_cuts_ + lanes) settle(search, state);
    std::size_t const n_taken = propose(slots, drawing, request.min_cases, candidates);
    search.note_tried(state, n_taken > 0);
  } else {
    candidates.set_floor(search.floor(state));
    candidates.begin_feature(request.min_cases);
    count(slots, drawing);
    search.consider(state, request, {.best = drawing.consider(slots.range, left_, candidates)});
  }
  asked_.push_back({request, slots.n_drawings++, candidates.size()});
}

bool HandfulSearch::settle(NodeSearch& search, SearchState& state) {
  Candidates& candidates = search.candidates();
  if (!together_ || n_settled_ == asked_.size()) return false;
  ends_.clear();
  for (std::size_t i = n_settled_; i < asked_.size(); ++i) ends_.push_back(asked_[i].end);
  candidates.set_floor(search.floor(state));
  candidates.finish_features(ends_, bests_);
  for (std::size_t i = 0; i < ends_.size(); ++i) search.compare(state, asked_[n_settled_ + i].request, {.best = bests_[i]});
  n_settled_ = asked_.size();
  state.any_valid = state.contest.leader.best.found;
  return !state.any_valid;
}

template <class T>
void HandfulSearch::count(Slots<T> const& slots, CutDrawing<T> const& drawing) {
  std::span<T const> const cuts = drawing.cuts();
  std::size_t const n_classes = data_.n_classes();
  left_.reset(cuts.size(), n_classes);
  for (std::size_t first = 0; first < cuts.size(); first += lanes) {
    std::size_t const n = std::min(lanes, cuts.size() - first);
    T padded[lanes] = {};
    std::copy_n(cuts.data() + first, n, padded);
    count_some(slots.cells.data(), rows_->sections(), padded, n, left_.of(0) + first, left_.n);
  }
  for (HandfulRows::Section const section : rows_->sections()) {
    for (std::size_t c = 0; c < cuts.size(); ++c) left_.of(n_classes)[c] += left_.of(section.cls)[c];
  }
}

// Counts are written where they wait to be screened. Every cut leaves a row on either side; where more are asked for, cuts that leave fewer
// are written over.
template <class T>
std::size_t HandfulSearch::propose(Slots<T> const& slots, CutDrawing<T> const& drawing, double min_cases, Candidates& candidates) {
  std::span<T const> const cuts = drawing.cuts();
  std::size_t const before = candidates.size();
  for (std::size_t first = 0; first < cuts.size(); first += lanes) {
    std::size_t const n = std::min(lanes, cuts.size() - first);
    Candidates::Room const room = candidates.room(lanes);
    if (n == 1) {
      count_one(slots.cells.data(), rows_->sections(), cuts[first], room.left, room.stride);
    } else {
      T padded[lanes] = {};
      std::copy_n(cuts.data() + first, n, padded);
      count_lanes(slots.cells.data(), rows_->sections(), padded, room.left, room.stride);
    }
    for (std::size_t c = 0; c < n; ++c) room.tags[c] = NumericTag{static_cast<Code>(first + c), false, false}.pack();
    if (min_cases <= 1.0) {
      candidates.commit(n);
      continue;
    }
    std::size_t n_taken = 0;
    for (std::size_t c = 0; c < n; ++c) {
      double cases = 0.0;
      for (HandfulRows::Section const section : rows_->sections()) {
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
