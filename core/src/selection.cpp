#include "selection.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "rarewood/criteria.hpp"

namespace rarewood {

namespace {

class HighestScore final : public Selection {
 public:
  HighestScore(Scorer& scorer, std::size_t n_classes) : scorer_(scorer), no_split_scores_zero_(scorer.traits().no_split_scores_zero) {
    if (scorer.traits().hellinger_breaks_ties) tie_breaker_ = make_scorer({.name = "hellinger"}, n_classes);
  }

  Scorer& search_scorer() override { return scorer_; }
  Scorer* tie_breaker() override { return tie_breaker_.get(); }
  double min_cases(bool, double min_samples_leaf) const override { return min_samples_leaf; }

  void enter_node(Counts parent, double) override {
    parent_ = parent;
    choice_ = {};
  }

  // Features may come in any order: among equals the lowest wins.
  bool consider(std::uint32_t feature, FeatureResult const& result) override {
    bool const better = choice_.best.gives_way_to(result.best);
    bool const equal = !better && result.best.found && !result.best.gives_way_to(choice_.best);
    if (!better && !(equal && feature < choice_.feature)) return false;
    choice_ = {feature, result.best};
    return true;
  }

  Choice choose() override { return choice_; }

  double score_of_no_split() override { return no_split_scores_zero_ ? 0.0 : scorer_.score(DenseTable{parent_.data(), 1, parent_.size()}); }

 private:
  Scorer& scorer_;
  std::unique_ptr<Scorer> tie_breaker_;
  bool no_split_scores_zero_;
  Counts parent_;
  Choice choice_;
};

// Quinlan 1993 and 1996 (gain less the cost of naming one of the thresholds), with the bounds of his program.
class QuinlanSelection final : public Selection {
 public:
  explicit QuinlanSelection(std::size_t n_classes) : n_classes_(n_classes), entropy_(make_scorer({.name = "entropy"}, n_classes)) {}

  Scorer& search_scorer() override { return *entropy_; }
  Scorer* tie_breaker() override { return nullptr; }
  double score_of_no_split() override { return 0.0; }

  void enter_node(Counts, double parent_total) override {
    node_weight_ = parent_total;
    options_.clear();
  }

  double min_cases(bool nominal, double min_samples_leaf) const override {
    double const smallest = std::max(2.0, min_samples_leaf);
    if (nominal) return smallest;
    return std::max(smallest, std::min(25.0, 0.1 * node_weight_ / static_cast<double>(n_classes_)));
  }

  bool consider(std::uint32_t feature, FeatureResult const& result) override {
    if (!result.best.found) return false;
    double const cost = result.n_thresholds > 0.0 ? std::log2(result.n_thresholds) / node_weight_ : 0.0;
    double const gain = result.best.score - cost;
    if (gain > tie_tolerance) options_.push_back({{feature, result.best}, gain});  // rounding is not a gain
    return false;
  }

  Choice choose() override {
    double mean = 0.0;
    for (Option const& option : options_) mean += option.gain / static_cast<double>(options_.size());
    Choice best;
    for (Option const& option : options_) {
      if (option.gain < mean - 1e-3) continue;
      BestCandidate candidate = option.choice.best;
      candidate.score = option.gain / split_info(candidate);
      bool const better = best.best.gives_way_to(candidate);
      bool const equal = !better && !candidate.gives_way_to(best.best);
      if (better || (equal && option.choice.feature < best.feature)) best = {option.choice.feature, candidate};
    }
    return best;
  }

 private:
  struct Option {
    Choice choice;
    double gain;
  };

  static double split_info(BestCandidate const& candidate) {
    if (candidate.split_info > 0.0) return candidate.split_info;
    double const left = candidate.left_share;
    double const right = 1.0 - left;
    return -(left > 0.0 ? left * std::log2(left) : 0.0) - (right > 0.0 ? right * std::log2(right) : 0.0);
  }

  std::size_t n_classes_;
  std::unique_ptr<Scorer> entropy_;
  double node_weight_ = 0.0;
  std::vector<Option> options_;
};

}  // namespace

std::unique_ptr<Selection> make_selection(Scorer& scorer, std::size_t n_classes) {
  if (scorer.traits().quinlan_selection) return std::make_unique<QuinlanSelection>(n_classes);
  return std::make_unique<HighestScore>(scorer, n_classes);
}

}  // namespace rarewood
