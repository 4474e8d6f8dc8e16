// Helpers of criteria that keep one number per class at a node.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "rarewood/count_table.hpp"

namespace rarewood {

// One number per class. The first two live in the object, so that two classes need no heap and no pointer.
class PerClass {
 public:
  explicit PerClass(std::size_t n_classes = 0) : rest_(n_classes > 2 ? n_classes - 2 : 0) {}

  double& operator[](std::size_t cls) { return cls < 2 ? first_[cls] : rest_[cls - 2]; }
  double operator[](std::size_t cls) const { return cls < 2 ? first_[cls] : rest_[cls - 2]; }

 private:
  std::array<double, 2> first_{};
  std::vector<double> rest_;
};

// 1 / count of a present class, 0 for an absent one.
inline double inverse(double count) { return count > 0.0 ? 1.0 / count : 0.0; }

inline std::vector<std::size_t> present_classes(Counts parent) {
  std::vector<std::size_t> present;
  present.reserve(parent.size());
  for (std::size_t j = 0; j < parent.size(); ++j) {
    if (parent[j] > 0.0) present.push_back(j);
  }
  return present;
}

// others[i] = sum of all values but the i-th, by additions alone: `total - values[i]` leaves a rounding residue where
// a rare class stands beside a large one, and a square root would magnify it.
inline void sums_without_each(std::vector<double> const& values, std::vector<double>& others) {
  double before = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    others[i] = before;
    before += values[i];
  }
  double after = 0.0;
  for (std::size_t i = values.size(); i-- > 0;) {
    others[i] += after;
    after += values[i];
  }
}

}  // namespace rarewood
