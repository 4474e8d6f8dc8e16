#include "search/node_search.hpp"

#include <algorithm>
#include <utility>

#include "search/node_keys.hpp"

namespace rarewood {

NodeSearch::NodeSearch(Dataset const& data, Scorer& scorer, std::span<double const> class_weights, GrowthOptions const& options)
    : data_(data),
      options_(options),
      selection_(make_selection(scorer, data.n_classes())),
      candidates_(selection_->search_scorer(), selection_->tie_breaker(), data.n_classes(), class_weights, options.signs,
                  options.shortcuts) {}

void NodeSearch::begin(SearchState& state, Counts totals, bool whole, ColumnSet features, Key key, ShareBounds bounds) {
  state.totals.assign(totals.begin(), totals.end());
  state.whole = whole;
  state.features = std::move(features);
  state.key = key;
  state.bounds = bounds;
  state.order = Rng(key);
  state.contest.leader = {};
  state.contest.options.clear();
  begin_columns(state, options_.max_features == 0 ? data_.n_features() : options_.max_features);
  state.pairs = options_.splitter == Splitter::hyperplane;
  resume(state);
}

void NodeSearch::begin_columns(SearchState& state, std::size_t n_wanted) const {
  state.pairs = false;
  state.n_wanted = n_wanted;
  state.features.list(state.members);
  state.n_asked = 0;
  state.n_tried = 0;
  state.any_valid = false;
}

void NodeSearch::resume(SearchState& state) {
  candidates_.enter_node(state.totals, state.whole, state.bounds);
  state.contest.node_weight = candidates_.parent_total();
}

// Pairs of features; where fewer than two are left, or no line separates anything, cuts along one of them.
std::optional<Request> NodeSearch::ask(SearchState& state) const {
  if (state.pairs) {
    if (state.n_tried < state.n_wanted && state.members.size() >= 2) return ask_pair(state);
    if (state.contest.leader.best.found) return std::nullopt;
    begin_columns(state, data_.n_features());
  }
  return ask_column(state);
}

std::optional<Request> NodeSearch::ask_pair(SearchState& state) const {
  std::vector<std::uint32_t>& members = state.members;
  auto const n = static_cast<std::uint32_t>(members.size());
  std::swap(members[0], members[state.order.below(n)]);
  std::swap(members[1], members[1 + state.order.below(n - 1)]);
  Key const key = pair_key(state.key, members[0], members[1], state.n_asked++);
  return Request{members[0], members[1], options_.min_samples_leaf, key};
}

// n_wanted features that are not constant, drawn without replacement; more than that until one has a valid split.
std::optional<Request> NodeSearch::ask_column(SearchState& state) const {
  std::vector<std::uint32_t>& members = state.members;
  std::size_t const i = state.n_asked;
  if (i == members.size() || (state.n_tried >= state.n_wanted && state.any_valid)) return std::nullopt;
  ++state.n_asked;
  if (state.n_wanted < members.size())
    std::swap(members[i], members[i + state.order.below(static_cast<std::uint32_t>(members.size() - i))]);
  double const min_cases = selection_->min_cases(state.contest, data_.is_nominal(members[i]), options_.min_samples_leaf);
  return Request{members[i], members[i], min_cases, column_key(state.key, members[i])};
}

bool NodeSearch::consider(SearchState& state, Request const& request, ColumnResult const& result) const {
  if (result.constant) state.features.remove(request.feature);
  if (result.other_constant) state.features.remove(request.other);
  if (result.constant || result.other_constant) {
    if (request.is_pair()) state.features.list(state.members);
    return false;
  }
  note_tried(state, result.best.found);
  return compare(state, request, result);
}

void NodeSearch::note_tried(SearchState& state, bool valid) const {
  ++state.n_tried;
  state.any_valid = state.any_valid || valid;
}

bool NodeSearch::compare(SearchState& state, Request const& request, ColumnResult const& result) const {
  if (!request.is_pair()) return selection_->consider(state.contest, request, result);
  if (!state.contest.leader.best.gives_way_to(result.best)) return false;
  state.contest.leader = {request, result.best};
  return true;
}

Choice NodeSearch::decide(SearchState const& state) const {
  return state.contest.leader.request.is_pair() ? state.contest.leader : selection_->choose(state.contest);
}

double NodeSearch::improvement(Choice const& choice) { return choice.best.score - selection_->score_of_no_split(candidates_.parent()); }

}  // namespace rarewood
