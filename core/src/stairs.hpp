// Trees rewritten for many rows without missing values: a step is read at once, compares and adds; a leaf leads to itself, so that no
// walk asks whether it has arrived. Made by predict, thrown away after.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "rarewood/tree.hpp"

namespace rarewood {

// A threshold, compared in the rows' own precision.
template <class T>
struct alignas(16) LevelStep {
  static constexpr int log_size = 4;

  T threshold;  // infinity in a leaf: nothing is above it
  std::uint32_t feature;
  std::uint32_t child;  // offset of the left child in bytes; the right one follows it

  static bool can_hold(Tree const& tree) {
    return std::all_of(tree.nodes.begin(), tree.nodes.end(),
                       [](Node const& node) { return node.is_leaf() || node.kind() == Threshold::number; });
  }
  static LevelStep of_leaf(std::uint32_t itself) { return {std::numeric_limits<T>::infinity(), 0, itself}; }
  static LevelStep of(Tree const&, Node const& node, std::uint32_t child) { return {rounded_down(node.threshold), node.feature(), child}; }

  bool is_right(T const* row) const { return row[feature] > threshold; }

 private:
  // A T is at most `threshold` if and only if it is at most the result.
  static T rounded_down(double threshold) {
    auto const rounded = static_cast<T>(threshold);
    return static_cast<double>(rounded) > threshold ? std::nextafter(rounded, -std::numeric_limits<T>::infinity()) : rounded;
  }
};

// A line through two numeric columns, or a threshold as the line 1 a + 0 a; the arithmetic of `Plane`.
template <class T>
struct alignas(32) SlantedStep {
  static constexpr int log_size = 5;

  double weight_a;
  double weight_b;
  double offset;  // infinity in a leaf
  std::uint16_t feature_a;
  std::uint16_t feature_b;
  std::uint32_t child;

  static bool can_hold(Tree const& tree) {
    auto const holds = [&tree](Node const& node) {
      if (node.is_leaf() || node.kind() == Threshold::number) return true;
      if (node.kind() != Plane::number) return false;
      Plane::Record const& plane = tree.records_of<Plane>()[node.pool_index()];
      return plane.map_a == Plane::no_map && plane.map_b == Plane::no_map;
    };
    return tree.n_features <= std::numeric_limits<std::uint16_t>::max() && std::all_of(tree.nodes.begin(), tree.nodes.end(), holds);
  }
  static SlantedStep of_leaf(std::uint32_t itself) { return {0.0, 0.0, std::numeric_limits<double>::infinity(), 0, 0, itself}; }
  static SlantedStep of(Tree const& tree, Node const& node, std::uint32_t child) {
    if (node.kind() == Threshold::number) return {1.0, 0.0, node.threshold, narrow(node.feature()), narrow(node.feature()), child};
    Plane::Record const& plane = tree.records_of<Plane>()[node.pool_index()];
    return {plane.weight_a, plane.weight_b, plane.offset, narrow(plane.feature_a), narrow(plane.feature_b), child};
  }

  bool is_right(T const* row) const {
    return !(weight_a * static_cast<double>(row[feature_a]) + weight_b * static_cast<double>(row[feature_b]) <= offset);
  }

 private:
  static std::uint16_t narrow(std::uint32_t feature) { return static_cast<std::uint16_t>(feature); }
};

template <class T, class Step>
class Stairs {
 public:
  Stairs() = default;
  explicit Stairs(Tree const& tree) : steps_(tree.nodes.size()), leaf_row_(tree.nodes.size()) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      Node const& node = tree.nodes[i];
      bool const leaf = node.is_leaf();
      steps_[i] = leaf ? Step::of_leaf(offset_of(i)) : Step::of(tree, node, offset_of(node.first_child));
      leaf_row_[i] = leaf ? node.first_child : 0;
    }
  }

  static bool can_hold(Tree const& tree) {
    return tree.n_features > 0 && tree.nodes.size() < std::size_t{1} << (32 - Step::log_size) && Step::can_hold(tree);
  }
  bool empty() const { return steps_.empty(); }

  // The row of the leaf table in which each of n rows, `stride` apart, ends.
  void walk(T const* rows, std::ptrdiff_t stride, std::size_t n, std::uint32_t* leaf_rows) const {
    std::size_t done = 0;
    for (; done + together <= n; done += together)
      walk_together(rows + static_cast<std::ptrdiff_t>(done) * stride, stride, leaf_rows + done);
    for (; done < n; ++done) {
      T const* const row = rows + static_cast<std::ptrdiff_t>(done) * stride;
      std::size_t at = 0;
      for (std::size_t next = after(at, row); next != at; next = after(at, row)) at = next;
      leaf_rows[done] = leaf_row_[at >> Step::log_size];
    }
  }

 private:
  static constexpr std::size_t together = 8;
  static constexpr int steps_between_looks = 3;  // at whether all have arrived

  static_assert(sizeof(Step) == std::size_t{1} << Step::log_size);

  static std::uint32_t offset_of(std::size_t step) { return static_cast<std::uint32_t>(step << Step::log_size); }

  Step const& at_offset(std::size_t offset) const {
    return *reinterpret_cast<Step const*>(reinterpret_cast<std::byte const*>(steps_.data()) + offset);
  }

  std::size_t after(std::size_t at, T const* row) const {
    Step const& step = at_offset(at);
    return step.child + (static_cast<std::size_t>(step.is_right(row)) << Step::log_size);  // not a branch
  }

  void walk_together(T const* rows, std::ptrdiff_t stride, std::uint32_t* leaf_rows) const {
    std::array<std::size_t, together> at{};
    std::size_t moved = 1;
    while (moved != 0) {
      moved = 0;
      for (int s = 1; s < steps_between_looks; ++s) {
        T const* row = rows;
#pragma GCC unroll 8
        for (std::size_t w = 0; w < together; ++w, row += stride) at[w] = after(at[w], row);
      }
      T const* row = rows;
#pragma GCC unroll 8
      for (std::size_t w = 0; w < together; ++w, row += stride) {
        std::size_t const next = after(at[w], row);
        moved |= next ^ at[w];
        at[w] = next;
      }
    }
    for (std::size_t w = 0; w < together; ++w) leaf_rows[w] = leaf_row_[at[w] >> Step::log_size];
  }

  std::vector<Step> steps_;
  std::vector<std::uint32_t> leaf_row_;  // per step; 0 where it is not a leaf
};

}  // namespace rarewood
