#include "search/candidates.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rarewood {

bool BestCandidate::gives_way_to(BestCandidate const& other) const {
  if (!other.found) return false;
  if (!found) return true;
  if (other.score > score + tie_tolerance) return true;
  if (other.score < score - tie_tolerance) return false;
  return other.tie_break > tie_break + tie_tolerance;
}

double BestCandidate::split_info() const {
  if (ManySides const* many = std::get_if<ManySides>(&sides)) return many->split_info;
  double const left = std::get<TwoSides>(sides).left_share;
  double const right = 1.0 - left;
  return -(left > 0.0 ? left * std::log2(left) : 0.0) - (right > 0.0 ? right * std::log2(right) : 0.0);
}

Candidates::Candidates(Scorer& scorer, Scorer* tie_breaker, std::size_t n_classes, std::span<double const> class_weights, Signs signs,
                       bool may_screen)
    : scorer_(scorer),
      tie_breaker_(tie_breaker),
      n_classes_(n_classes),
      capacity_(std::clamp<std::size_t>(8192 / n_classes, 16, 512)),
      stride_(capacity_ + screen_lanes),  // not a power of two: the classes of one candidate must not share a cache set
      class_weights_(class_weights.begin(), class_weights.end()),
      signs_(signs),
      parent_(n_classes),
      left_(n_classes * stride_),
      right_(n_classes * stride_),
      scores_(capacity_),
      tags_(capacity_),
      may_screen_(may_screen && tie_breaker == nullptr),
      counts_(n_classes * stride_),
      bounds_(stride_),
      one_(2 * n_classes) {}

void Candidates::enter_node(Counts totals, bool whole, ShareBounds bounds) {
  parent_total_ = 0.0;
  for (std::size_t j = 0; j < n_classes_; ++j) {
    parent_[j] = class_weights_.empty() ? totals[j] : totals[j] * class_weights_[j];
    parent_total_ += parent_[j];
  }
  node_cases_ = totals[n_classes_];
  bounds_of_node_ = bounds;
  floor_ = -INFINITY;
  scorer_.enter_node(parent_);
  runs_ = may_screen_ && whole && all_weigh(totals);
  screening_ = runs_ && scorer_.has_bound() && screen_node_.enter(totals, class_weights_, parent_total_);
  if (tie_breaker_ != nullptr) tie_breaker_->enter_node(parent_);
}

void Candidates::begin_column(Request const& request) {
  min_cases_ = request.min_cases;
  if (restrained()) {
    sign_ = signs_[request.feature];
    other_sign_ = signs_[request.other];
    ways_ = request.is_pair() ? Ways{} : Ways::along(1.0, sign_);
  }
  size_ = 0;
  best_ = {};
}

// A class whose rows weigh nothing is in no bound and in no running sum, though its rows are cases.
bool Candidates::all_weigh(Counts totals) const {
  for (std::size_t j = 0; j < n_classes_; ++j) {
    if (totals[j] > 0.0 && !(parent_[j] > 0.0)) return false;
  }
  return true;
}

bool Candidates::propose(double const* left, Tag tag) {
  double const cases = left[n_classes_];
  if (cases < min_cases_ || node_cases_ - cases < min_cases_) return false;
  if (restrained() && !keep_order(left)) return false;
  if (size_ == capacity_) flush();
  for (std::size_t j = 0; screening_ && j < n_classes_; ++j) counts_[j * stride_ + size_] = static_cast<float>(left[j]);
  for (std::size_t j = 0; !screening_ && j < n_classes_; ++j) {
    double const count = class_weights_.empty() ? left[j] : left[j] * class_weights_[j];
    left_[j * stride_ + size_] = count;
    right_[j * stride_ + size_] = right_of(j, count);
  }
  tags_[size_++] = tag;
  return true;
}

// What is left of a class after subtracting fractional weights may be rounding residue, which must not look like a present class.
// 1e-10 is below 1 / 2^32, the smallest share a real row can have under unit weights.
inline double Candidates::right_of(std::size_t cls, double left) const {
  constexpr double residue = 1e-10;
  double const rest = parent_[cls] - left;
  return rest > residue * parent_[cls] ? rest : 0.0;
}

bool Candidates::keep_order(double const* left) const {
  double const first = weighted(0, left[0]), second = weighted(1, left[1]);
  double const right_first = right_of(0, first), right_second = right_of(1, second);
  double const left_share = second / (first + second), right_share = right_second / (right_first + right_second);
  if (!bounds_of_node_.hold(left_share) || !bounds_of_node_.hold(right_share)) return false;  // nor does NaN, of a side without weight
  return (ways_.up || right_share <= left_share) && (ways_.down || left_share <= right_share);
}

bool Candidates::propose_both_sides(double const* left, double const* missing, Code cut) {
  with_missing_.resize(n_classes_ + 1);
  for (std::size_t j = 0; j <= n_classes_; ++j) with_missing_[j] = left[j] + missing[j];
  bool const taken = propose(with_missing_.data(), NumericTag{cut, true, true}.pack());
  return propose(left, NumericTag{cut, false, true}.pack()) || taken;
}

void Candidates::propose_all(double const* left, std::size_t n, Tag first_tag) {
  double const* const cases = left + n_classes_ * n;
  int n_small = 0;
  for (std::size_t i = 0; i < n; ++i) n_small += (cases[i] < min_cases_) | (node_cases_ - cases[i] < min_cases_) ? 1 : 0;
  if (restrained() || n > capacity_ || (n_small != 0 && !screening_)) {  // each has to be looked at
    std::vector<double> one(n_classes_ + 1);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j <= n_classes_; ++j) one[j] = left[j * n + i];
      propose(one.data(), first_tag + i);
    }
    return;
  }
  if (size_ + n > capacity_) flush();
  if (n_small != 0) return propose_large(left, n, first_tag);
  for (std::uint32_t const j : screening_ ? present() : std::span<std::uint32_t const>{}) {
    for (std::size_t i = 0; i < n; ++i) counts_[j * stride_ + size_ + i] = static_cast<float>(left[j * n + i]);
  }
  for (std::size_t j = 0; !screening_ && j < n_classes_; ++j) {
    double const weight = class_weights_.empty() ? 1.0 : class_weights_[j];
    double* __restrict const to_left = left_.data() + j * stride_ + size_;
    double* __restrict const to_right = right_.data() + j * stride_ + size_;
    for (std::size_t i = 0; i < n; ++i) {
      to_left[i] = left[j * n + i] * weight;
      to_right[i] = right_of(j, to_left[i]);
    }
  }
  for (std::size_t i = 0; i < n; ++i) tags_[size_ + i] = first_tag + i;
  size_ += n;
}

// Those of `propose_all` whose sides are large enough, where candidates are screened and all have room.
void Candidates::propose_large(double const* left, std::size_t n, Tag first_tag) {
  double const* const cases = left + n_classes_ * n;
  std::size_t end = size_;
  for (std::uint32_t const j : present()) {
    end = size_;
    for (std::size_t i = 0; i < n; ++i) {
      counts_[j * stride_ + end] = static_cast<float>(left[j * n + i]);
      tags_[end] = first_tag + i;
      end += static_cast<std::size_t>(!(cases[i] < min_cases_) & !(node_cases_ - cases[i] < min_cases_));
    }
  }
  size_ = end;
}

std::size_t Candidates::propose_cuts(std::uint32_t const* first, std::uint32_t const* second, Code const* cuts, std::size_t n) {
  double const weight_first = class_weights_.empty() ? 1.0 : class_weights_[0];
  double const weight_second = class_weights_.empty() ? 1.0 : class_weights_[1];
  std::size_t n_taken = 0;
  if (restrained()) {
    for (std::size_t i = 0; i < n; ++i) {
      double const left[3] = {static_cast<double>(first[i]), static_cast<double>(second[i]), static_cast<double>(first[i] + second[i])};
      n_taken += propose(left, Tag{cuts[i]}) ? 1 : 0;
    }
    return n_taken;
  }
  for (std::size_t begin = 0; begin < n;) {
    if (size_ == capacity_) flush();
    std::size_t const end = std::min(n, begin + capacity_ - size_);
    std::size_t const size_before = size_;
    for (std::size_t i = begin; screening_ && i < end; ++i) {
      double const cases = static_cast<double>(first[i] + second[i]);
      counts_[size_] = static_cast<float>(first[i]);
      counts_[stride_ + size_] = static_cast<float>(second[i]);
      tags_[size_] = Tag{cuts[i]};
      size_ += static_cast<std::size_t>(!(cases < min_cases_) & !(node_cases_ - cases < min_cases_));
    }
    for (std::size_t i = begin; !screening_ && i < end; ++i) {
      double const cases = static_cast<double>(first[i] + second[i]);
      double const left_first = first[i] * weight_first;
      double const left_second = second[i] * weight_second;
      left_[size_] = left_first;
      left_[stride_ + size_] = left_second;
      right_[size_] = right_of(0, left_first);
      right_[stride_ + size_] = right_of(1, left_second);
      tags_[size_] = Tag{cuts[i]};
      size_ += static_cast<std::size_t>(!(cases < min_cases_) & !(node_cases_ - cases < min_cases_));
    }
    n_taken += size_ - size_before;
    begin = end;
  }
  return n_taken;
}

Candidates::Room Candidates::room(std::size_t least) {
  if (size_ + least > capacity_) flush();
  return {counts_.data() + size_, tags_.data() + size_, stride_, capacity_ - size_};
}

BestCandidate Candidates::finish_column() {
  flush();
  return best_;
}

BestCandidate Candidates::score_whole(DenseTable const& table) {
  BestCandidate whole;
  for (std::size_t t = 0; restrained() && t < table.children(); ++t) {
    if (!bounds_of_node_.hold(table(t, 1) / child_total(table, t))) return whole;
  }
  whole.score = scorer_.score(table);
  whole.found = whole.score != -INFINITY;
  if (tie_breaker_ != nullptr) whole.tie_break = tie_breaker_->score(table);
  double split_info = 0.0;
  for (std::size_t t = 0; t < table.children(); ++t) {
    double const share = child_total(table, t) / parent_total_;
    split_info -= share > 0.0 ? share * std::log2(share) : 0.0;
  }
  whole.sides = ManySides{split_info};
  return whole;
}

double Candidates::hellinger_of(std::size_t i) {
  double score = 0.0;
  tie_breaker_->score({left_.data() + i, right_.data() + i, stride_, 1, n_classes_}, {&score, 1});
  return score;
}

BestCandidate Candidates::candidate(std::size_t i) const {
  double left = 0.0;
  for (std::size_t j = 0; j < n_classes_; ++j) left += screening_ ? counted(j, i) : left_[j * stride_ + i];
  BestCandidate found;
  found.found = true;
  found.score = scores_[i];
  found.tag = tags_[i];
  found.sides = TwoSides{left / parent_total_};
  return found;
}

void Candidates::flush() {
  if (size_ == 0) return;
  if (screening_) return flush_screened();
  scorer_.score({left_.data(), right_.data(), stride_, size_, n_classes_}, {scores_.data(), size_});
  if (tie_breaker_ != nullptr) return flush_with_tie_breaker();
  double most = best_.found ? best_.score : -INFINITY;
  std::size_t winner = size_;
  for (std::size_t i = 0; i < size_; ++i) {
    if (scores_[i] > most + tie_tolerance) {
      most = scores_[i];
      winner = i;
    }
  }
  if (winner < size_) best_ = candidate(winner);
  size_ = 0;
}

// Of class `cls` left of a screened candidate, class weights applied.
inline double Candidates::counted(std::size_t cls, std::size_t i) const {
  if (!(parent_[cls] > 0.0)) return 0.0;
  double const count = static_cast<double>(counts_[cls * stride_ + i]);
  return class_weights_.empty() ? count : count * class_weights_[cls];
}

bool Candidates::same_counts(std::size_t a, std::size_t b) const {
  for (std::uint32_t const j : present()) {
    if (counts_[j * stride_ + a] != counts_[j * stride_ + b]) return false;
  }
  return true;
}

double Candidates::exact_score(std::size_t i) {
  for (std::size_t j = 0; j < n_classes_; ++j) {
    one_[j] = counted(j, i);
    one_[n_classes_ + j] = right_of(j, one_[j]);
  }
  double score = 0.0;
  scorer_.score({one_.data(), one_.data() + n_classes_, 1, 1, n_classes_}, {&score, 1});
  return score;
}

// The winner is that of flush: the first of those that no later one beats by more than the tolerance. What scores less than the most
// promising candidate, or than the floor, by a ladder of ties decides nothing: to be led to another winner by it, flush would have to meet
// candidates at every rung, each too close to the last to be told from it and all of them in ascending order.
void Candidates::flush_screened() {
  std::size_t const n = std::exchange(size_, 0);
  if (n == 1 && present().size() <= few_classes) return take_if_best(0, exact_score(0));
  double const limit = least_wanted();
  std::optional<Promise> const promise = most_promising(n, limit);
  if (promise) take_best_of(0, n, std::max(limit, promise->score - tie_ladder), *promise);
}

void Candidates::finish_columns(std::span<std::size_t const> ends, std::vector<BestCandidate>& bests) {
  bests.assign(ends.size(), {});
  std::size_t const n = std::exchange(size_, 0);
  std::optional<Promise> const promise = n == 0 ? std::nullopt : most_promising(n, floor_);
  if (!promise) return;
  double const limit = std::max(floor_, promise->score - tie_ladder);
  for (std::size_t f = 0; f < ends.size(); ++f) {
    best_ = {};
    take_best_of(f == 0 ? 0 : ends[f - 1], ends[f], limit, *promise);
    bests[f] = best_;
  }
}

std::optional<Candidates::Promise> Candidates::most_promising(std::size_t n, double limit) {
  scorer_.bound({screen_node_, counts_.data(), stride_, n}, bounds_.data());
  float most = bounds_[0];
#pragma omp simd reduction(max : most)
  for (std::size_t i = 1; i < n; ++i) most = bounds_[i] > most ? bounds_[i] : most;
  if (static_cast<double>(most) <= limit) return std::nullopt;
  std::size_t promising = 0;
  while (bounds_[promising] != most) ++promising;
  return Promise{promising, most, exact_score(promising)};
}

void Candidates::take_best_of(std::size_t begin, std::size_t end, double limit, Promise const& promise) {
  double most = best_.found ? best_.score : -INFINITY;
  std::size_t winner = end;
  for (std::size_t i = begin; i < end; ++i) {
    if (static_cast<double>(bounds_[i]) <= limit) continue;
    double const score = bounds_[i] == promise.bound && same_counts(i, promise.candidate) ? promise.score : exact_score(i);
    if (score > most + tie_tolerance) {
      most = score;
      winner = i;
    }
  }
  if (winner < end) take_if_best(winner, most);
}

void Candidates::take_if_best(std::size_t i, double score) {
  if (best_.found && !(score > best_.score + tie_tolerance)) return;
  scores_[i] = score;
  best_ = candidate(i);
}

void Candidates::flush_with_tie_breaker() {
  for (std::size_t i = 0; i < size_; ++i) {
    if (scores_[i] == -INFINITY || (best_.found && scores_[i] < best_.score - tie_tolerance)) continue;
    BestCandidate next = candidate(i);
    next.tie_break = hellinger_of(i);
    if (best_.gives_way_to(next)) best_ = next;
  }
  size_ = 0;
}

}  // namespace rarewood
