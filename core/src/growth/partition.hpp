// Moves the rows of a node into its children. The node owns positions[begin, end); afterwards child c owns the c-th part of the same range,
// each part still grouped by class and, inside a class, in the order it had before.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "rarewood/types.hpp"

namespace rarewood {

class Partition {
 public:
  // The arrays to reorder; weights may be empty.
  Partition(std::span<Position> positions, std::span<double> weights) : positions_(positions), weights_(weights) {}

  // child_of(position, i), where i counts the rows of the node -> 0 or 1. class_begin: offsets of the node's classes relative to `begin`, n_classes + 1 of them.
  // class_begins: 2 rows of n_classes + 1 offsets, relative to the children's own beginnings.
  template <class ChildOf>
  void split_in_two(std::size_t begin, std::span<std::size_t const> class_begin, ChildOf child_of, std::vector<std::size_t>& class_begins) {
    std::size_t const n_classes = class_begin.size() - 1;
    class_begins.resize(2 * (n_classes + 1));
    std::size_t* const left_class_begin = class_begins.data();
    std::size_t* const right_class_begin = left_class_begin + n_classes + 1;
    std::size_t const size = class_begin[n_classes];
    if (spare_positions_.size() < size) spare_positions_.resize(size);
    if (!weights_.empty() && spare_weights_.size() < size) spare_weights_.resize(size);
    Position* const rows = positions_.data() + begin;
    double* const weights = weights_.empty() ? nullptr : weights_.data() + begin;
    std::size_t n_left = 0;
    std::size_t n_right = 0;
    for (std::size_t j = 0; j < n_classes; ++j) {
      left_class_begin[j] = n_left;
      right_class_begin[j] = n_right;
      // Left rows move up in place (never past the reading end), right rows wait in the spare buffer.
      for (std::size_t i = class_begin[j]; i < class_begin[j + 1]; ++i) {
        Position const row = rows[i];
        std::size_t const right = child_of(row, i);
        rows[n_left] = row;
        spare_positions_[n_right] = row;
        if (weights != nullptr) {
          double const weight = weights[i];
          weights[n_left] = weight;
          spare_weights_[n_right] = weight;
        }
        n_left += 1 - right;
        n_right += right;
      }
    }
    left_class_begin[n_classes] = n_left;
    right_class_begin[n_classes] = n_right;
    std::copy_n(spare_positions_.data(), n_right, rows + n_left);  // may be nothing, from a null pointer: a part without rows
    if (weights != nullptr) std::copy_n(spare_weights_.data(), n_right, weights + n_left);
  }

  // child_of(position) -> 0 .. n_children - 1; class_begins: n_children rows of n_classes + 1 offsets.
  template <class ChildOf>
  void split_in_many(std::size_t begin, std::span<std::size_t const> class_begin, std::size_t n_children, ChildOf child_of,
                     std::vector<std::size_t>& class_begins) {
    std::size_t const n_classes = class_begin.size() - 1;
    std::size_t const stride = n_classes + 1;
    std::size_t const size = class_begin[n_classes];
    if (spare_positions_.size() < size) spare_positions_.resize(size);
    if (!weights_.empty() && spare_weights_.size() < size) spare_weights_.resize(size);
    Position* const rows = positions_.data() + begin;
    double* const weights = weights_.empty() ? nullptr : weights_.data() + begin;
    class_begins.assign(n_children * stride, 0);
    for (std::size_t j = 0; j < n_classes; ++j) {
      for (std::size_t i = class_begin[j]; i < class_begin[j + 1]; ++i) ++class_begins[child_of(rows[i]) * stride + j + 1];
    }
    for (std::size_t c = 0; c < n_children; ++c) {
      for (std::size_t j = 0; j < n_classes; ++j) class_begins[c * stride + j + 1] += class_begins[c * stride + j];
    }
    std::vector<std::size_t> next(n_children);  // where the next row of each child goes; classes come in order
    for (std::size_t c = 1; c < n_children; ++c) next[c] = next[c - 1] + class_begins[(c - 1) * stride + n_classes];
    for (std::size_t i = 0; i < size; ++i) {
      std::size_t const to = next[child_of(rows[i])]++;
      spare_positions_[to] = rows[i];
      if (weights != nullptr) spare_weights_[to] = weights[i];
    }
    std::copy_n(spare_positions_.data(), size, rows);
    if (weights != nullptr) std::copy_n(spare_weights_.data(), size, weights);
  }

 private:
  std::span<Position> positions_;
  std::span<double> weights_;
  std::vector<Position> spare_positions_;
  std::vector<double> spare_weights_;
};

}  // namespace rarewood
