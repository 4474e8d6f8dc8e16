// Inverse of the standard normal distribution function: bisection to a bracket, then Newton steps on std::erfc.
// Called once per pruned tree, so plain accuracy counts, not speed.
#pragma once

#include <cmath>
#include <numbers>

namespace rarewood {

inline double normal_quantile(double p) {
  auto const distribution = [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); };
  double low = -40.0;
  double high = 40.0;
  while (high - low > 1e-3) {
    double const middle = (low + high) / 2.0;
    (distribution(middle) < p ? low : high) = middle;
  }
  double x = (low + high) / 2.0;
  for (int i = 0; i < 4; ++i) x -= (distribution(x) - p) * std::sqrt(2.0 * std::numbers::pi) * std::exp(x * x / 2.0);
  return x;
}

}  // namespace rarewood
