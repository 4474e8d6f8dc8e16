// A tree that only has thresholds, rewritten for many rows without missing values: a step reads 16 bytes, compares in the rows' own
// precision and adds; a leaf leads to itself, so that no walk asks whether it has arrived.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "rarewood/tree.hpp"

namespace rarewood {

template <class T>
class Stairs {
 public:
  Stairs() = default;
  explicit Stairs(Tree const& tree) : steps_(tree.nodes.size()), leaf_row_(tree.nodes.size()) {
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      Node const& node = tree.nodes[i];
      bool const leaf = node.is_leaf();
      steps_[i] = {leaf ? std::numeric_limits<T>::infinity() : rounded_down(node.threshold), leaf ? 0 : node.feature(),
                   offset_of(leaf ? i : node.first_child)};
      leaf_row_[i] = leaf ? node.first_child : 0;
    }
  }

  static bool can_hold(Tree const& tree) { return tree.nodes.size() < std::size_t{1} << (32 - log_step_size); }
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
      leaf_rows[done] = leaf_row_[at >> log_step_size];
    }
  }

 private:
  static constexpr std::size_t together = 8;
  static constexpr int steps_between_looks = 3;  // at whether all have arrived

  static constexpr int log_step_size = 4;

  struct alignas(1 << log_step_size) Step {
    T threshold;  // infinity in a leaf: nothing is above it
    std::uint32_t feature;
    std::uint32_t child;  // offset of the left child in bytes; the right one follows it
  };

  static std::uint32_t offset_of(std::size_t step) { return static_cast<std::uint32_t>(step << log_step_size); }

  // A T is at most `threshold` if and only if it is at most the result.
  static T rounded_down(double threshold) {
    auto const rounded = static_cast<T>(threshold);
    return static_cast<double>(rounded) > threshold ? std::nextafter(rounded, -std::numeric_limits<T>::infinity()) : rounded;
  }

  Step const& at_offset(std::size_t offset) const {
    return *reinterpret_cast<Step const*>(reinterpret_cast<std::byte const*>(steps_.data()) + offset);
  }

  std::size_t after(std::size_t at, T const* row) const {
    Step const& step = at_offset(at);
    return step.child + (static_cast<std::size_t>(row[step.feature] > step.threshold) << log_step_size);  // not a branch
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
    for (std::size_t w = 0; w < together; ++w) leaf_rows[w] = leaf_row_[at[w] >> log_step_size];
  }

  std::vector<Step> steps_;
  std::vector<std::uint32_t> leaf_row_;  // per step; 0 where it is not a leaf
};

}  // namespace rarewood
