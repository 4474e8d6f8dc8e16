// Points and weights on [0, 1] that integrate polynomials up to degree 2 n - 1.
#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <vector>

namespace rarewood {

struct Quadrature {
  std::vector<double> points;
  std::vector<double> weights;
};

// The roots of the n-th Legendre polynomial by Newton's method.
inline Quadrature gauss_legendre(std::size_t n) {
  Quadrature rule;
  double const count = static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (count + 0.5));
    double slope = 1.0;
    for (int step = 0; step < 100; ++step) {
      double value = 1.0;
      double before = 0.0;
      for (std::size_t k = 0; k < n; ++k) {
        double const j = static_cast<double>(k);
        double const next = ((2.0 * j + 1.0) * x * value - j * before) / (j + 1.0);
        before = value;
        value = next;
      }
      slope = count * (x * value - before) / (x * x - 1.0);
      double const change = value / slope;
      x -= change;
      if (std::abs(change) < 1e-15) break;
    }
    rule.points.push_back((1.0 - x) / 2.0);
    rule.weights.push_back(1.0 / ((1.0 - x * x) * slope * slope));
  }
  return rule;
}

}  // namespace rarewood
