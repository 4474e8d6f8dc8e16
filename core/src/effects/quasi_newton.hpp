// The way to a minimum by an approximate curvature that is factored once: what the last steps have shown of the true one corrects it
// (limited-memory BFGS, Nocedal 1980).
#pragma once

#include <cstddef>
#include <deque>
#include <numeric>
#include <utility>
#include <vector>

#include "effects/cholesky.hpp"

namespace rarewood {

inline double inner(std::vector<double> const& a, std::vector<double> const& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// to += times * what
inline void add_times(double times, std::vector<double> const& what, std::vector<double>& to) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += times * what[i];
}

class QuasiNewton {
 public:
  // factor: see factor_in_place; it must outlive this.
  QuasiNewton(std::vector<double> const& factor, std::size_t n) : factor_(factor), n_(n) {}

  // From a place with this slope.
  std::vector<double> step_from(std::vector<double> slope) const {
    std::vector<double> lengths(steps_.size());
    for (std::size_t i = steps_.size(); i-- > 0;) {
      lengths[i] = inner(steps_[i].way, slope) / steps_[i].curvature;
      add_times(-lengths[i], steps_[i].change, slope);
    }
    std::vector<double> step = solve_factored(factor_, n_, std::move(slope));
    for (std::size_t i = 0; i < steps_.size(); ++i)
      add_times(lengths[i] - inner(steps_[i].change, step) / steps_[i].curvature, steps_[i].way, step);
    for (double& part : step) part = -part;
    return step;
  }

  // What a step has done to the slope. Where the curvature along it is not positive, nothing can be learned for a minimum.
  void learn(std::vector<double> way, std::vector<double> const& before, std::vector<double> after) {
    add_times(-1.0, before, after);
    double const curvature = inner(way, after);
    if (!(curvature > 0.0)) return;
    if (steps_.size() == most_steps) steps_.pop_front();
    steps_.push_back({std::move(way), std::move(after), curvature});
  }

 private:
  static constexpr std::size_t most_steps = 8;

  struct Step {
    std::vector<double> way;
    std::vector<double> change;  // of the slope
    double curvature;            // along the way
  };

  std::vector<double> const& factor_;
  std::size_t n_;
  std::deque<Step> steps_;
};

}  // namespace rarewood
