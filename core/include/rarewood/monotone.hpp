// Monotone constraints: with some columns the share of the second of two classes may only rise, with others only fall. Trees are grown
// under them (a candidate that breaks them is not proposed), and `restrained` makes sure of the leaves, which are smoothed afterwards.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace rarewood {

struct Tree;

// Per column: 1 the share may only rise with it, -1 only fall, 0 free; empty: all are free.
using Signs = std::span<std::int8_t const>;

// Throws std::invalid_argument unless there are none, or one per feature and two classes.
void check_signs(Signs signs, std::size_t n_classes, std::size_t n_features);

// Which ways the share may go from the first child of a test to the second. Neither: the children must not differ.
struct Ways {
  bool up = true;
  bool down = true;

  bool are_free() const { return up && down; }
  Ways operator&(Ways const& other) const { return {up && other.up, down && other.down}; }
  // For rows sorted by weight x column.
  static Ways along(double weight, std::int8_t sign) {
    double const side = weight * sign;
    return {!(side < 0.0), !(side > 0.0)};
  }
};

// The ways that a test leaves open, whatever its kind: only one that puts rows in the order of a column leaves fewer than all.
template <class Test>
Ways ways_of(Test const& test, Signs signs) {
  if constexpr (requires { test.ways(signs); }) return test.ways(signs);
  return {};
}

// Between which shares the leaves below a node have to stay.
struct ShareBounds {
  double low = 0.0;
  double high = 1.0;

  bool hold(double share) const { return low <= share && share <= high; }
  // Of a child (0 or 1) of two whose shares are these: what divides them is half-way.
  ShareBounds of_child(std::size_t child, Ways ways, double first, double second) const {
    double const middle = std::clamp(first + (second - first) / 2.0, low, high);
    ShareBounds bounds = *this;
    if (!ways.down) (child == 0 ? bounds.high : bounds.low) = middle;
    if (!ways.up) (child == 0 ? bounds.low : bounds.high) = middle;
    return bounds;
  }
};

// Leaves are smoothed by at most so many cases, or their order could be lost.
inline constexpr double most_leaf_weight = 64.0;

// The tree with leaves whose probability of the second class obeys the signs, however they are smoothed: by m pseudo-cases, of which the
// second class has the part `prior`, for any m from 0 to most_leaf_weight. Leaves that do already keep their counts.
Tree restrained(Tree const& tree, Signs signs, double prior);

}  // namespace rarewood
