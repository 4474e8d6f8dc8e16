// The deciding half of random cuts along a numeric column: no rows here, see `Drawing`. Cuts are uniform between the smallest and the
// largest value at the node; value <= cut goes left.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "search/splitters/splitter.hpp"

namespace rarewood {

template <class T>
class CutDrawing {
 public:
  using Ranges = Range<T>;
  using Counts = LeftCounts;

  void begin(std::size_t n_cuts, Key key) {
    n_cuts_ = n_cuts;
    rng_ = Rng(key);
    drawn_ = false;
  }

  bool draw(Ranges const& range, Counts const&) {
    if (std::exchange(drawn_, true)) return false;
    high_ = range.high;
    cuts_.clear();
    if (range.low == range.high) {
      cuts_.push_back(range.high);  // one value and missing ones: the only split keeps them apart
    } else {
      // In the order drawn: of equal ones the first wins, so that the winner is as uniform as the draws.
      cuts_.resize(n_cuts_);
      for (T& cut : cuts_) cut = draw_cut(range.low, range.high);
    }
    return true;
  }

  std::span<T const> cuts() const { return cuts_; }

  BestCandidate consider(Ranges const& range, Counts const& left, Candidates& candidates) {
    if (range.any_missing()) {
      if (range.low == range.high) candidates.face({});  // divides no values
      propose_with_missing(range.missing, left, candidates);
    } else {
      candidates.propose_all(left.counts.data(), left.n, NumericTag{0, false, false}.pack());
    }
    return candidates.finish_column();
  }

  // `cells`: of the rows of the node, where they are at hand and none is missing.
  Split split_of(Request const& request, BestCandidate const& best, std::span<float const> cells) const {
    NumericTag const tag = NumericTag::unpack(best.tag);
    double const cut = cuts_[tag.cut] == high_ ? INFINITY : static_cast<double>(cuts_[tag.cut]);  // nothing is above the largest value
    return Threshold::Split{request.feature, Threshold::ByValue{cut, cells}, tag.missing()};
  }

 private:
  // Uniform on [low, high), both finite, low < high. Halves avoid overflow of high - low.
  T draw_cut(T low, T high) {
    double const half_low = static_cast<double>(low) / 2.0;
    auto const cut = static_cast<T>(2.0 * (half_low + rng_.uniform() * (static_cast<double>(high) / 2.0 - half_low)));
    return cut >= low && cut < high ? cut : low;  // rounding may reach the maximum; both sides must keep a row
  }

  void propose_with_missing(std::vector<double> const& missing, Counts const& left, Candidates& candidates) {
    one_.resize(missing.size());
    for (std::size_t c = 0; c < left.n; ++c) {
      for (std::size_t j = 0; j < missing.size(); ++j) one_[j] = left.of(j)[c];
      candidates.propose_both_sides(one_.data(), missing.data(), static_cast<Code>(c));
    }
  }

  std::size_t n_cuts_ = 0;
  Rng rng_{0, 0};
  bool drawn_ = false;
  T high_{};
  std::vector<T> cuts_;
  std::vector<double> one_;  // counts of one cut
};

static_assert(Drawing<CutDrawing<float>> && Drawing<CutDrawing<double>>);

}  // namespace rarewood
