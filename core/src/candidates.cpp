#include "rarewood/candidates.hpp"

#include <algorithm>
#include <cmath>

namespace rarewood {

bool BestCandidate::gives_way_to(BestCandidate const& other) const {
  if (!other.found) return false;
  if (!found) return true;
  if (other.score > score + tie_tolerance) return true;
  if (other.score < score - tie_tolerance) return false;
  return other.tie_break > tie_break + tie_tolerance;
}

Candidates::Candidates(Scorer& scorer, Scorer* tie_breaker, std::size_t n_classes, std::span<double const> class_weights)
    : scorer_(scorer),
      tie_breaker_(tie_breaker),
      n_classes_(n_classes),
      capacity_(std::clamp<std::size_t>(8192 / n_classes, 16, 512)),
      stride_(capacity_ + 8),  // not a power of two: the classes of one candidate must not share a cache set
      class_weights_(class_weights.begin(), class_weights.end()),
      parent_(n_classes),
      left_(n_classes * stride_),
      right_(n_classes * stride_),
      scores_(capacity_),
      tags_(capacity_) {}

void Candidates::enter_node(Counts totals) {
  parent_total_ = 0.0;
  for (std::size_t j = 0; j < n_classes_; ++j) {
    parent_[j] = class_weights_.empty() ? totals[j] : totals[j] * class_weights_[j];
    parent_total_ += parent_[j];
  }
  node_cases_ = totals[n_classes_];
  scorer_.enter_node(parent_);
  if (tie_breaker_ != nullptr) tie_breaker_->enter_node(parent_);
}

void Candidates::begin_feature(double min_cases) {
  min_cases_ = min_cases;
  size_ = 0;
  best_ = {};
}

bool Candidates::propose(double const* left, Tag tag) {
  double const cases = left[n_classes_];
  if (cases < min_cases_ || node_cases_ - cases < min_cases_) return false;
  if (size_ == capacity_) flush();
  // What is left of a class after subtracting fractional weights may be rounding residue, which must not look like a present class.
  // 1e-10 is below 1 / 2^32, the smallest share a real row can have under unit weights.
  constexpr double residue = 1e-10;
  for (std::size_t j = 0; j < n_classes_; ++j) {
    double const count = class_weights_.empty() ? left[j] : left[j] * class_weights_[j];
    double const rest = parent_[j] - count;
    left_[j * stride_ + size_] = count;
    right_[j * stride_ + size_] = rest > residue * parent_[j] ? rest : 0.0;
  }
  tags_[size_++] = tag;
  return true;
}

BestCandidate Candidates::finish_feature() {
  flush();
  return best_;
}

BestCandidate Candidates::score_whole(DenseTable const& table) {
  BestCandidate whole;
  whole.score = scorer_.score(table);
  whole.found = whole.score != -INFINITY;
  if (tie_breaker_ != nullptr) whole.tie_break = tie_breaker_->score(table);
  for (std::size_t t = 0; t < table.children(); ++t) {
    double const share = child_total(table, t) / parent_total_;
    whole.split_info -= share > 0.0 ? share * std::log2(share) : 0.0;
  }
  return whole;
}

double Candidates::hellinger_of(std::size_t i) {
  double score = 0.0;
  tie_breaker_->score({left_.data() + i, right_.data() + i, stride_, 1, n_classes_}, {&score, 1});
  return score;
}

BestCandidate Candidates::candidate(std::size_t i) const {
  double left = 0.0;
  for (std::size_t j = 0; j < n_classes_; ++j) left += left_[j * stride_ + i];
  BestCandidate found;
  found.found = true;
  found.score = scores_[i];
  found.tag = tags_[i];
  found.left_share = left / parent_total_;
  return found;
}

void Candidates::flush() {
  if (size_ == 0) return;
  scorer_.score({left_.data(), right_.data(), stride_, size_, n_classes_}, {scores_.data(), size_});
  for (std::size_t i = 0; i < size_; ++i) {
    double const score = scores_[i];
    if (score == -INFINITY) continue;
    bool const may_tie = tie_breaker_ != nullptr && best_.found && score >= best_.score - tie_tolerance;
    if (best_.found && !may_tie && !(score > best_.score + tie_tolerance)) continue;
    BestCandidate next = candidate(i);
    if (tie_breaker_ != nullptr) next.tie_break = hellinger_of(i);
    if (best_.gives_way_to(next)) best_ = next;
  }
  size_ = 0;
}

}  // namespace rarewood
