#include "node_search.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "node_keys.hpp"

namespace rarewood {

Splitter splitter_named(std::string_view name) {
  if (name == "best") return Splitter::best;
  if (name == "random") return Splitter::random;
  if (name == "hyperplane") return Splitter::hyperplane;
  throw std::invalid_argument("splitter must be 'best', 'random' or 'hyperplane', got '" + std::string(name) + "'");
}

NodeSearch::NodeSearch(Dataset const& data, Scorer& scorer, std::span<double const> class_weights, GrowthOptions const& options,
                       WorkMeter& meter)
    : data_(data),
      options_(options),
      traits_(scorer.traits()),
      meter_(meter),
      selection_(make_selection(scorer, data.n_classes())),
      candidates_(selection_->search_scorer(), selection_->tie_breaker(), data.n_classes(), class_weights),
      exact_numeric_(data),
      exact_nominal_(data, options.nominal),
      random_(data, options.n_cuts),
      hyperplane_(data, options.n_cuts) {}

Split NodeSearch::find(NodeRows const& node, FeatureSet& features, Key key) {
  key_ = key;
  rng_ = Rng(key);
  improvement_ = 0.0;
  candidates_.enter_node(node.totals);
  selection_->enter_node(candidates_.parent(), candidates_.parent_total());
  std::size_t const n_wanted = options_.max_features == 0 ? data_.n_features() : options_.max_features;
  return options_.splitter == Splitter::hyperplane ? hyperplane_split(node, features) : axis_split(node, features, n_wanted);
}

FeatureResult NodeSearch::search(NodeRows const& node, std::uint32_t feature) {
  bool const nominal = data_.is_nominal(feature);
  double const min_cases = selection_->min_cases(nominal, options_.min_samples_leaf);
  if (options_.splitter != Splitter::best) return random_.search(node, feature, min_cases, column_key(key_, feature), candidates_);
  if (nominal) return exact_nominal_.search(node, feature, min_cases, traits_.quinlan_selection, traits_, candidates_);
  return exact_numeric_.search(node, feature, min_cases, traits_.run_ends_suffice, candidates_);
}

// Tries n_wanted features that are not constant, drawn without replacement; goes on beyond that number until one has a valid split.
Choice NodeSearch::choose_feature(NodeRows const& node, FeatureSet& features, std::size_t n_wanted) {
  features.list(members_);
  bool const draw = n_wanted < members_.size();
  std::size_t tried = 0;
  bool any_valid = false;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (tried >= n_wanted && any_valid) break;
    if (draw) std::swap(members_[i], members_[i + rng_.below(static_cast<std::uint32_t>(members_.size() - i))]);
    FeatureResult const result = search(node, members_[i]);
    meter_.add(node.size());
    if (result.constant) {
      features.remove(members_[i]);
      continue;
    }
    ++tried;
    any_valid = any_valid || result.best.found;
    if (selection_->consider(members_[i], result)) random_.keep_cells(members_[i]);
  }
  return selection_->choose();
}

Split NodeSearch::axis_split(NodeRows const& node, FeatureSet& features, std::size_t n_wanted) {
  Choice const choice = choose_feature(node, features, n_wanted);
  if (!choice.best.found) return {};
  improvement_ = choice.best.score - selection_->score_of_no_split();
  if (options_.splitter != Splitter::best) return random_.split_of(choice.feature, choice.best, column_key(key_, choice.feature));
  if (data_.is_nominal(choice.feature)) return exact_nominal_.split_of(node, choice.feature, choice.best, traits_);
  return exact_numeric_.split_of(choice.feature, choice.best.tag);
}

// Pairs of features; where fewer than two are left, or no line separates anything, cuts along one of them.
Split NodeSearch::hyperplane_split(NodeRows const& node, FeatureSet& features) {
  std::size_t const n_wanted = options_.max_features == 0 ? data_.n_features() : options_.max_features;
  HyperplaneSplitter::Result best;
  features.list(members_);
  std::size_t tried = 0;
  for (std::size_t draw = 0; tried < n_wanted && members_.size() >= 2; ++draw) {
    auto const n = static_cast<std::uint32_t>(members_.size());
    std::swap(members_[0], members_[rng_.below(n)]);
    std::swap(members_[1], members_[1 + rng_.below(n - 1)]);
    Key const lines = pair_key(key_, members_[0], members_[1], draw);
    HyperplaneSplitter::Result result = hyperplane_.search(node, members_[0], members_[1], options_.min_samples_leaf, lines, candidates_);
    meter_.add(2 * node.size());
    if (result.constant_a || result.constant_b) {
      if (result.constant_a) features.remove(members_[0]);
      if (result.constant_b) features.remove(members_[1]);
      features.list(members_);
      continue;
    }
    ++tried;
    if (!best.best.gives_way_to(result.best)) continue;
    best = std::move(result);
    hyperplane_.keep_cells();
  }
  if (!best.best.found) return axis_split(node, features, data_.n_features());
  improvement_ = best.best.score - selection_->score_of_no_split();
  best.split.sides = hyperplane_.sides_of(best.split);
  return best.split;
}

}  // namespace rarewood
