#include "search/selection.hpp"

#include <algorithm>
#include <cmath>

#include "rarewood/criteria.hpp"

namespace rarewood {

namespace {

// Among equals the lowest feature wins, whatever order they come in.
bool takes_the_lead(Choice const& leader, Choice const& next) {
  if (leader.best.gives_way_to(next.best)) return true;
  bool const equal = next.best.found && !next.best.gives_way_to(leader.best);
  return equal && next.request.feature < leader.request.feature;
}

class HighestScore final : public Selection {
 public:
  HighestScore(Scorer& scorer, std::size_t n_classes) : scorer_(scorer), no_split_scores_zero_(scorer.traits().no_split_scores_zero) {
    if (scorer.traits().hellinger_breaks_ties) tie_breaker_ = make_scorer({.name = "hellinger"}, n_classes);
  }

  Scorer& search_scorer() override { return scorer_; }
  Scorer* tie_breaker() override { return tie_breaker_.get(); }
  double min_cases(Contest const&, bool, double min_samples_leaf) const override { return min_samples_leaf; }

  bool consider(Contest& contest, Request const& request, ColumnResult const& result) const override {
    Choice const next{request, result.best};
    if (!takes_the_lead(contest.leader, next)) return false;
    contest.leader = next;
    return true;
  }

  Choice choose(Contest const& contest) const override { return contest.leader; }
  double floor(Contest const& contest) const override {
    return contest.leader.best.found ? contest.leader.best.score - tie_ladder : -INFINITY;
  }

  double score_of_no_split(Counts parent) override {
    return no_split_scores_zero_ ? 0.0 : scorer_.score(DenseTable{parent.data(), 1, parent.size()});
  }

 private:
  Scorer& scorer_;
  std::unique_ptr<Scorer> tie_breaker_;
  bool no_split_scores_zero_;
};

// Quinlan 1993 and 1996 (gain less the cost of naming one of the thresholds), with the bounds of his program.
class QuinlanSelection final : public Selection {
 public:
  explicit QuinlanSelection(std::size_t n_classes) : n_classes_(n_classes), entropy_(make_scorer({.name = "entropy"}, n_classes)) {}

  Scorer& search_scorer() override { return *entropy_; }
  Scorer* tie_breaker() override { return nullptr; }
  double score_of_no_split(Counts) override { return 0.0; }

  double min_cases(Contest const& contest, bool nominal, double min_samples_leaf) const override {
    double const smallest = std::max(2.0, min_samples_leaf);
    if (nominal) return smallest;
    return std::max(smallest, std::min(25.0, 0.1 * contest.node_weight / static_cast<double>(n_classes_)));
  }

  bool consider(Contest& contest, Request const& request, ColumnResult const& result) const override {
    if (!result.best.found) return false;
    double const cost = result.n_thresholds > 0.0 ? std::log2(result.n_thresholds) / contest.node_weight : 0.0;
    double const gain = result.best.score - cost;
    if (gain > tie_tolerance) contest.options.push_back({{request, result.best}, gain});  // rounding is not a gain
    return false;
  }

  Choice choose(Contest const& contest) const override {
    double mean = 0.0;
    for (Contest::Option const& option : contest.options) mean += option.gain / static_cast<double>(contest.options.size());
    Choice leader;
    for (Contest::Option const& option : contest.options) {
      if (option.gain < mean - 1e-3) continue;
      Choice next = option.choice;
      next.best.score = option.gain / next.best.split_info();
      if (takes_the_lead(leader, next)) leader = next;
    }
    return leader;
  }

 private:
  std::size_t n_classes_;
  std::unique_ptr<Scorer> entropy_;
};

}  // namespace

std::unique_ptr<Selection> make_selection(Scorer& scorer, std::size_t n_classes) {
  if (scorer.traits().quinlan_selection) return std::make_unique<QuinlanSelection>(n_classes);
  return std::make_unique<HighestScore>(scorer, n_classes);
}

}  // namespace rarewood
