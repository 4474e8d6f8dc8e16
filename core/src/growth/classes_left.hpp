// The classes that are left at a node of a problem of many. Its branch is grown among them alone: a node then costs what the classes in it
// cost, not those of the whole problem.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rarewood {

class ClassesLeft {
 public:
  // So many classes cost little where they are absent.
  static constexpr std::size_t few = 32;
  static bool pays(std::size_t n_left, std::size_t n_classes) { return n_classes > few && 4 * n_left <= n_classes; }

  // class_begin: offsets of the rows of all classes at the node. Two classes are joined by an absent one: a problem of two has code of its
  // own, whose results may differ by a rounding.
  explicit ClassesLeft(std::span<std::size_t const> class_begin) {
    std::size_t const n_classes = class_begin.size() - 1;
    for (std::uint32_t j = 0; j < n_classes; ++j) {
      if (class_begin[j] < class_begin[j + 1]) numbers_.push_back(j);
    }
    for (std::uint32_t j = 0; numbers_.size() < 3 && j < n_classes; ++j) {
      auto const at = std::lower_bound(numbers_.begin(), numbers_.end(), j);
      if (at == numbers_.end() || *at != j) numbers_.insert(at, j);
    }
  }

  // Their numbers among all classes, ascending.
  std::span<std::uint32_t const> numbers() const { return numbers_; }

  // From offsets of all classes to theirs.
  std::vector<std::size_t> class_begin(std::span<std::size_t const> of_all) const {
    std::vector<std::size_t> begin;
    for (std::uint32_t const j : numbers_) begin.push_back(of_all[j]);
    begin.push_back(of_all.back());
    return begin;
  }

  // One per class, or none.
  std::vector<double> weights(std::span<double const> of_all) const {
    std::vector<double> weights;
    for (std::uint32_t const j : numbers_) {
      if (!of_all.empty()) weights.push_back(of_all[j]);
    }
    return weights;
  }

 private:
  std::vector<std::uint32_t> numbers_;
};

}  // namespace rarewood
