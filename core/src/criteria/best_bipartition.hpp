// The largest squared Hellinger distance over all ways to split the given classes in two groups, any number of children,
// by enumeration: 2^(k-1) - 1 bipartitions of k classes. For two children criteria/hellinger.hpp needs only k - 1 of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "rarewood/count_table.hpp"

namespace rarewood::criteria {

// Puts one class after the other in the first or the second group. Each step adds to a copy of the sums so far;
// taking a class out again would leave rounding residue where a group's count should be 0.
template <CountTable T>
class BestBipartition {
 public:
  BestBipartition(T const& table, std::span<std::size_t const> classes)
      : table_(table), classes_(classes), width_(table.children()), sums_((classes.size() + 1) * 2 * width_) {}

  double squared() {
    if (classes_.size() < 2) return 0.0;
    assign(0, 0);  // the first class names the first group: every bipartition is seen once
    choose(1);
    return best_;
  }

 private:
  void choose(std::size_t i) {
    if (i == classes_.size()) {
      best_ = std::max(best_, distance(sums(i)));
      return;
    }
    for (std::size_t group = 0; group < 2; ++group) {
      assign(i, group);
      choose(i + 1);
    }
  }

  void assign(std::size_t i, std::size_t group) {
    std::copy_n(sums(i), 2 * width_, sums(i + 1));
    for (std::size_t t = 0; t < width_; ++t) sums(i + 1)[group * width_ + t] += table_(t, classes_[i]);
  }

  double distance(double const* sums) const {
    double first = 0.0;
    double second = 0.0;
    for (std::size_t t = 0; t < width_; ++t) {
      first += sums[t];
      second += sums[width_ + t];
    }
    if (!(second > 0.0)) return 0.0;  // all classes in the first group
    double squares = 0.0;
    for (std::size_t t = 0; t < width_; ++t) {
      double const difference = std::sqrt(sums[t] / first) - std::sqrt(sums[width_ + t] / second);
      squares += difference * difference;
    }
    return squares;
  }

  double* sums(std::size_t i) { return sums_.data() + i * 2 * width_; }  // groups x children, after i classes

  T const& table_;
  std::span<std::size_t const> classes_;
  std::size_t width_;
  std::vector<double> sums_;
  double best_ = 0.0;
};

}  // namespace rarewood::criteria
