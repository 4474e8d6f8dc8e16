// What becomes of cuts, in their order, whose candidates are screened: class counts are kept from cut to cut, and
//   CountSink     hands every cut on, as float32 counts, for the bound of the criterion
//   LogSink       keeps sum x log2 x up to date by look-ups (RunningScore::logs) and hands on only cuts that could win
//   SquareSink    the same with sums of squares (RunningScore::squares)
// A sink has cut(code, cases left of it, whether it is allowed), add(place among the present classes, cases) and finish().
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "search/candidates.hpp"

namespace rarewood {

template <std::size_t K>
class CountSink {
 public:
  explicit CountSink(Candidates& candidates) : candidates_(candidates), n_classes_(K == 0 ? candidates.present().size() : K) {
    take_room();
  }

  [[gnu::always_inline]] void cut(Code code, std::uint32_t, bool taken) {
    if (n_ == room_.size) {
      candidates_.commit(n_);
      take_room();
    }
    for (std::size_t j = 0; j < (K == 0 ? n_classes_ : K); ++j) columns_[j][n_] = counts_[j];
    room_.tags[n_] = Tag{code};
    n_ += taken ? 1 : 0;
  }
  [[gnu::always_inline]] void add(std::size_t cls, std::uint32_t cases) { counts_[cls] += static_cast<float>(cases); }
  void finish() { candidates_.commit(n_); }

 private:
  void take_room() {
    room_ = candidates_.room();
    n_ = 0;
    for (std::size_t j = 0; j < n_classes_; ++j) columns_[j] = room_.left + candidates_.present()[j] * room_.stride;
  }

  Candidates& candidates_;
  std::size_t n_classes_;
  Candidates::Room room_{};
  std::size_t n_ = 0;
  std::array<float*, most_screened_classes> columns_;
  std::array<float, most_screened_classes> counts_{};
};

// What the score of a running sum has to reach: a cut below the bar cannot win any more.
class RunningBar {
 public:
  explicit RunningBar(Candidates const& candidates) : score_(candidates.running_score()), floor_(candidates.least_wanted() - slack) {}

  RunningScore::Kind kind() const { return score_.kind; }
  [[gnu::always_inline]] double score(double sum) const { return (sum + score_.offset) * score_.scale; }
  [[gnu::always_inline]] bool is_cleared_by(double score) const { return score > floor_; }
  void raise(double score) { floor_ = std::max(floor_, score - slack); }

 private:
  static constexpr double slack = 1e-8;  // the rounding of running sums adds up to far less

  RunningScore score_;
  double floor_;
};

// What running sums share: counts on both sides, and which cuts are worth handing on.
template <class Sum>
class RunningSink {
 public:
  explicit RunningSink(Candidates& candidates) : candidates_(candidates), bar_(candidates) {
    std::size_t const n_classes = candidates.present().size();
    for (std::size_t j = 0; j < n_classes; ++j) {
      above_[j] = static_cast<std::uint32_t>(candidates.parent()[candidates.present()[j]]);
      n_above_ += above_[j];
      sum_.begin(above_[j]);
    }
    n_cases_ = n_above_;
  }

  [[gnu::always_inline]] void cut(Code code, std::uint32_t left, bool taken) {
    double const score = bar_.score(sum_.of_cut(left, n_cases_ - left));
    if (taken & bar_.is_cleared_by(score)) [[unlikely]]
      hand_on(code, score);
  }
  [[gnu::always_inline]] void add(std::size_t cls, std::uint32_t cases) {
    sum_.move(below_[cls], above_[cls], cases);
    below_[cls] += cases;
    above_[cls] -= cases;
  }
  void finish() {}

 private:
  [[gnu::noinline]] void hand_on(Code code, double score) {
    Candidates::Room const room = candidates_.room();
    for (std::size_t j = 0; j < candidates_.present().size(); ++j)
      room.left[candidates_.present()[j] * room.stride] = static_cast<float>(below_[j]);
    room.tags[0] = Tag{code};
    candidates_.commit(1);
    bar_.raise(score);
  }

  Candidates& candidates_;
  RunningBar bar_;
  Sum sum_;
  std::uint32_t n_above_ = 0, n_cases_ = 0;
  std::array<std::uint32_t, most_screened_classes> below_{}, above_{};
};

class LogSum {
 public:
  void begin(std::uint32_t above) { sum_ += x_log2_x_[above]; }
  [[gnu::always_inline]] double of_cut(std::uint32_t left, std::uint32_t right) const { return sum_ - x_log2_x_[left] - x_log2_x_[right]; }
  [[gnu::always_inline]] void move(std::uint32_t below, std::uint32_t above, std::uint32_t cases) {
    sum_ += (x_log2_x_[below + cases] + x_log2_x_[above - cases]) - (x_log2_x_[below] + x_log2_x_[above]);
  }

 private:
  double const* x_log2_x_ = RunningScore::x_log2_x();
  double sum_ = 0.0;
};

class SquareSum {
 public:
  void begin(std::uint32_t above) { right_ += square(above); }
  [[gnu::always_inline]] double of_cut(std::uint32_t left, std::uint32_t right) const {
    return left_ / static_cast<double>(left) + right_ / static_cast<double>(right);
  }
  // (b + c)^2 = b^2 + c (2 b + c): whole numbers below 2^53, so nothing rounds.
  [[gnu::always_inline]] void move(std::uint32_t below, std::uint32_t above, std::uint32_t cases) {
    double const c = cases;
    left_ += c * (2.0 * below + c);
    right_ -= c * (2.0 * above - c);
  }

 private:
  static double square(std::uint32_t x) { return static_cast<double>(x) * static_cast<double>(x); }

  double left_ = 0.0, right_ = 0.0;
};

// The same for cuts of more classes than are screened: whether one that is proposed could win. Not where rows miss the column.
class RunningFilter {
 public:
  static bool applies(Candidates const& candidates) {
    return candidates.parent().size() > most_screened_classes && !candidates.screening() && candidates.parent_total() <= most_cases &&
           candidates.running_score().kind != RunningScore::Kind::none;
  }

  explicit RunningFilter(Candidates const& candidates)
      : parent_(candidates.parent()), bar_(candidates), n_cases_(static_cast<std::uint32_t>(candidates.parent_total())) {
    for (double const count : parent_) {
      auto const above = static_cast<std::uint32_t>(count);
      bar_.kind() == RunningScore::Kind::logs ? logs_.begin(above) : squares_.begin(above);
    }
  }

  // left: of the class, before the move.
  void move(std::size_t cls, double left, double cases) {
    auto const below = static_cast<std::uint32_t>(left);
    std::uint32_t const above = static_cast<std::uint32_t>(parent_[cls]) - below;
    if (bar_.kind() == RunningScore::Kind::logs) return logs_.move(below, above, static_cast<std::uint32_t>(cases));
    squares_.move(below, above, static_cast<std::uint32_t>(cases));
  }

  // Of a cut that is allowed. left: cases.
  bool can_win(double left) {
    auto const below = static_cast<std::uint32_t>(left);
    std::uint32_t const above = n_cases_ - below;
    double const score = bar_.score(bar_.kind() == RunningScore::Kind::logs ? logs_.of_cut(below, above) : squares_.of_cut(below, above));
    if (!bar_.is_cleared_by(score)) return false;
    bar_.raise(score);
    return true;
  }

 private:
  static constexpr double most_cases = 0x1p26;  // their squares are whole numbers, too

  Counts parent_;
  RunningBar bar_;
  std::uint32_t n_cases_;
  LogSum logs_;
  SquareSum squares_;
};

// visit(sink): with the sink that suits the criterion at the node.
template <class Visit>
std::size_t with_cut_sink(Candidates& candidates, Visit visit) {
  switch (candidates.running_score().kind) {
    case RunningScore::Kind::logs: return visit(RunningSink<LogSum>(candidates));
    case RunningScore::Kind::squares: return visit(RunningSink<SquareSum>(candidates));
    default: break;
  }
  switch (candidates.present().size()) {
    case 2: return visit(CountSink<2>(candidates));
    case 3: return visit(CountSink<3>(candidates));
    case 4: return visit(CountSink<4>(candidates));
    case 5: return visit(CountSink<5>(candidates));
    case 6: return visit(CountSink<6>(candidates));
    case 7: return visit(CountSink<7>(candidates));
    case 8: return visit(CountSink<8>(candidates));
    default: return visit(CountSink<0>(candidates));
  }
}

}  // namespace rarewood
