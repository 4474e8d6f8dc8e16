// Receives the distinct values of a numeric column at a node in ascending order and proposes the cuts between them.
// Where the node has missing values of the column each cut is proposed twice, missing left and missing right, and
// at the end comes one more: everything present left, missing right.
#pragma once

#include <optional>
#include <vector>

#include "search/cut_orders/cut_sinks.hpp"
#include "search/splitters/splitter.hpp"

namespace rarewood {

class CutProposer {
 public:
  static constexpr std::size_t mixed = static_cast<std::size_t>(-1);  // a value held by rows of several classes

  // missing: class counts and cases; scratch: memory that is kept from node to node.
  // With prune_runs, a cut between two values of one and the same class is left out unless minimum sizes could forbid its
  // neighbours (the best cut is then the first allowed one, not the end of the run).
  CutProposer(Candidates& candidates, std::size_t n_classes, double const* missing, double present_cases, double min_cases, bool prune_runs,
              std::vector<double>& scratch)
      : candidates_(candidates),
        n_classes_(n_classes),
        missing_(missing),
        has_missing_(missing[n_classes] > 0.0),
        present_cases_(present_cases),
        min_cases_(min_cases),
        prune_runs_(prune_runs) {
    if (RunningFilter::applies(candidates) && !has_missing_) filter_.emplace(candidates);
    scratch.assign(n_classes + 1, 0.0);
    left_ = scratch.data();
  }

  // The next value is `code`, held by `cases` cases of class `pure` (or `mixed`). Follow with `add` for its rows.
  void next_value(Code code, std::size_t pure, double cases) {
    if (started_ && !(pure == last_pure_ && pure != mixed && inside_run(cases))) propose_cut();
    started_ = true;
    left_before_last_ = left_[n_classes_];
    last_code_ = code;
    last_pure_ = pure;
  }

  void add(std::size_t cls, double weight, double cases) {
    if (filter_) [[unlikely]]
      filter_->move(cls, left_[cls], weight);
    left_[cls] += weight;
    left_[n_classes_] += cases;
  }

  // After the last value.
  void finish() {
    if (!has_missing_ || !started_) return;
    candidates_.face({});  // divides no values
    candidates_.propose(left_, NumericTag{last_code_, false, true}.pack());
  }

  double n_thresholds() const { return n_thresholds_; }

 private:
  bool inside_run(double next_cases) const {
    return prune_runs_ && left_before_last_ >= min_cases_ && present_cases_ - left_[n_classes_] - next_cases >= min_cases_;
  }

  void propose_cut() {
    if (filter_) [[unlikely]]
      return propose_filtered_cut();
    bool const taken = has_missing_ ? candidates_.propose_both_sides(left_, missing_, last_code_)
                                    : candidates_.propose(left_, NumericTag{last_code_, false, false}.pack());
    if (taken) n_thresholds_ += 1.0;
  }

  void propose_filtered_cut() {
    double const left = left_[n_classes_];
    if (left < min_cases_ || present_cases_ - left < min_cases_) return;
    n_thresholds_ += 1.0;
    if (filter_->can_win(left)) candidates_.propose(left_, NumericTag{last_code_, false, false}.pack());
  }

  Candidates& candidates_;
  std::size_t n_classes_;
  double const* missing_;
  bool has_missing_;
  double present_cases_;
  double min_cases_;
  bool prune_runs_;
  double* left_;  // n_classes counts and cases
  bool started_ = false;
  Code last_code_ = 0;
  std::size_t last_pure_ = mixed;
  double left_before_last_ = 0.0;
  double n_thresholds_ = 0.0;
  std::optional<RunningFilter> filter_;
};

}  // namespace rarewood
