// What entropy and gain ratio share: the mutual information of child and class at a node, in bits,
//   sum_tj n_tj/N log2( (n_tj N) / (N_t N_j) )  =  H(p) - sum_t rho_t H(p_t).
// The left form has no large terms that cancel, whatever N. The right form, as sums of x log2 x, loses a few units of
// 1e-16 log2(N) but can look its logarithms up; nodes small enough for the table use it.
#pragma once

#include <array>
#include <cmath>

#include "criteria/per_class.hpp"
#include "rarewood/count_table.hpp"

namespace rarewood::criteria {

// x log2(y), and 0 where x is 0.
inline double times_log2(double x, double y) { return x > 0.0 ? x * std::log2(y) : 0.0; }

struct WholeNumberLogs {
  static constexpr std::size_t size = 65536;
  std::array<double, size> x_log2_x;

  WholeNumberLogs() {
    for (std::size_t i = 0; i < size; ++i) x_log2_x[i] = times_log2(static_cast<double>(i), static_cast<double>(i));
  }
};
inline WholeNumberLogs const whole_number_logs;

// x log2(x) for 0 <= x < WholeNumberLogs::size.
inline double x_log2_x(double x) {
  auto const whole = static_cast<std::size_t>(x);
  return static_cast<double>(whole) == x ? whole_number_logs.x_log2_x[whole] : times_log2(x, x);
}

struct Information {
  double inverse_total;
  bool small;              // x_log2_x serves
  double total_log;        // N log2 N
  double parent_entropy;   // N H(p)
  PerClass inverse_share;  // N / N_j

  explicit Information(Counts parent) : inverse_share(parent.size()) {
    double total = 0.0;
    for (double count : parent) total += count;
    inverse_total = 1.0 / total;
    small = total < static_cast<double>(WholeNumberLogs::size - 1);  // children may exceed the total by a rounding
    total_log = times_log2(total, total);
    parent_entropy = total_log;
    for (std::size_t j = 0; j < parent.size(); ++j) {
      inverse_share[j] = total * inverse(parent[j]);
      parent_entropy -= times_log2(parent[j], parent[j]);
    }
  }

  template <CountTable T>
  double gain(T const& table) const {
    double sum = small ? parent_entropy : 0.0;
    for (std::size_t t = 0; t < table.children(); ++t) {
      double const size = child_total(table, t);
      if (small) {
        for (std::size_t j = 0; j < table.classes(); ++j) sum += x_log2_x(table(t, j));
        sum -= x_log2_x(size);
      } else {
        double const inverse_size = 1.0 / size;
        for (std::size_t j = 0; j < table.classes(); ++j) sum += times_log2(table(t, j), table(t, j) * inverse_size * inverse_share[j]);
      }
    }
    return sum * inverse_total;
  }

  // Entropy of the children's shares; 0 when only one child holds anything.
  template <CountTable T>
  double split_information(T const& table) const {
    double sum = small ? total_log : 0.0;
    std::size_t filled = 0;
    for (std::size_t t = 0; t < table.children(); ++t) {
      double const size = child_total(table, t);
      sum -= small ? x_log2_x(size) : times_log2(size, size * inverse_total);
      filled += size > 0.0;
    }
    return filled > 1 ? sum * inverse_total : 0.0;
  }
};

}  // namespace rarewood::criteria
