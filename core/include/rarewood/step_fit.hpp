// The fit of step functions (steps.hpp) to the residuals of given log-odds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rarewood/steps.hpp"

namespace rarewood {

struct StepRows {
  StepCodes on;
  std::span<double const> given;         // log-odds of the second class
  std::span<double const> noisier;       // the same from fewer trees
  std::span<std::uint8_t const> second;  // whether a row is of the second class
  std::span<double const> weight;
  double extrapolation = 0.0;  // c: what counts is (1 + c) f(given) - c f(noisier), for the log-odds of more trees
};

// Some of the rows: all but those from `begin` to `end`.
struct LeftOut {
  std::size_t begin = 0;
  std::size_t end = 0;
};

// The largest likelihood of slope x given + offset + values, penalised by v'Qv + (slope - 1)^2 + offset^2 / 2. The table of curvatures is
// factored once, where the search begins; what its steps show corrects it. Unknowns are the values, term after term, then offset and slope.
class StepFit {
 public:
  StepFit(StepRows rows, std::span<double const> penalty);  // Q, steps x steps, symmetric

  std::vector<double> const& fit();  // to all rows
  // Without some of the rows, from the fit to all of them, which must have been made, and by its factor. Close enough to the top that rows
  // left out leave no trace.
  std::vector<double> fit_without(LeftOut out) const;
  std::vector<double> log_odds(std::span<double const> found) const;

 private:
  struct Slope {
    double loss;  // where it is asked for
    std::vector<double> by_unknown;
  };

  template <bool with_loss>
  Slope slope(std::span<double const> at, LeftOut out) const;
  void factor_curvature(std::span<double const> at);
  std::size_t n_steps() const { return first_.back(); }
  std::size_t n_unknown() const { return n_steps() + 2; }

  struct Cost {  // an element of Q that is not 0
    std::uint32_t row;
    std::uint32_t column;
    double value;
  };

  StepRows rows_;
  std::vector<Cost> penalty_;
  std::vector<std::uint32_t> first_;  // number of a term's first step; behind the last, of all
  std::vector<double> factor_;        // upper triangle R of the curvature R'R
  std::vector<double> found_;
};

}  // namespace rarewood
