#include "effects/cholesky.hpp"

#include <algorithm>
#include <cmath>

#include "base/simd_dispatch.hpp"

namespace rarewood {

namespace {

constexpr std::size_t panel = 4;  // rows whose updates are made together: the matrix is read a quarter as often

RAREWOOD_SIMD(void, subtract, (double* into, double const* from, double times, std::size_t begin, std::size_t end),
              (into, from, times, begin, end)) {
  for (std::size_t j = begin; j < end; ++j) into[j] -= times * from[j];
}

RAREWOOD_SIMD(void, subtract_panel,
              (double* into, double const* from, std::size_t stride, double const* times, std::size_t begin, std::size_t end),
              (into, from, stride, times, begin, end)) {
  double const* const b = from + stride;
  double const* const c = b + stride;
  double const* const d = c + stride;
  double const ta = times[0], tb = times[1], tc = times[2], td = times[3];
  for (std::size_t j = begin; j < end; ++j) into[j] -= (ta * from[j] + tb * b[j]) + (tc * c[j] + td * d[j]);
}

}  // namespace

void factor_in_place(std::vector<double>& matrix, std::size_t n) {
  auto const row = [&](std::size_t i) { return matrix.data() + i * n; };
  for (std::size_t begin = 0; begin < n; begin += panel) {
    std::size_t const end = std::min(begin + panel, n);
    for (std::size_t k = begin; k < end; ++k) {
      double* const own = row(k);
      double const root = std::sqrt(own[k]);
      for (std::size_t j = k; j < n; ++j) own[j] /= root;
      for (std::size_t i = k + 1; i < end; ++i) subtract(row(i), own, own[i], i, n);
    }
    for (std::size_t i = end; i < n; ++i) {
      double const times[panel] = {row(begin)[i], row(begin + 1)[i], row(begin + 2)[i], row(begin + 3)[i]};
      subtract_panel(row(i), row(begin), n, times, i, n);
    }
  }
}

std::vector<double> solve_factored(std::vector<double> const& factor, std::size_t n, std::vector<double> right) {
  for (std::size_t k = 0; k < n; ++k) {
    double const* const row = factor.data() + k * n;
    right[k] /= row[k];
    subtract(right.data(), row, right[k], k + 1, n);
  }
  for (std::size_t k = n; k-- > 0;) {
    double const* const row = factor.data() + k * n;
    double sum = right[k];
    for (std::size_t j = k + 1; j < n; ++j) sum -= row[j] * right[j];
    right[k] = sum / row[k];
  }
  return right;
}

}  // namespace rarewood
