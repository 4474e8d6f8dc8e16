// Trees rewritten for walking: steps in breadth-first order, siblings adjacent. A step is read at once, compares and adds; one that halts
// leads to itself, so that a walk may go a few steps too far. Rows halt at leaves and at *stops*, nodes whose test no step can hold: there
// the tree is asked.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "rarewood/tree.hpp"

namespace rarewood {

// A threshold in the precision of float32 rows: eight bytes. In a halt the threshold is NaN, which nothing exceeds, and its lower bits say why:
// a row of the leaf table, or `stop` and the number of a stop.
struct NarrowStep {
  static constexpr int feature_bits = 10;
  static constexpr std::uint32_t missing_right = 1U << feature_bits;
  static constexpr std::uint32_t stop = 1U << 21;
  static constexpr std::uint32_t halt_bits = 2 * stop - 1;

  float threshold;
  std::uint32_t where;  // steps to the left child | missing_right | feature

  static bool can_hold(Tree const& tree) {
    std::size_t const most = std::size_t{1} << (31 - feature_bits);
    return tree.n_features <= missing_right && tree.nodes.size() <= most && tree.n_leaf_rows() <= stop;
  }
  static bool can_hold(Tree const&, Node const& node) { return node.kind() == Threshold::number; }
  static NarrowStep halting(std::uint32_t why) { return {std::bit_cast<float>((~halt_bits & 0x7FFFFFFFU) | why), 0}; }
  static NarrowStep of(Tree const&, Node const& node, std::uint32_t to_child) {
    return {rounded_down(node.threshold), to_child << (feature_bits + 1) | (node.missing_left() ? 0U : missing_right) | node.feature()};
  }

  bool halts() const { return threshold != threshold; }
  std::uint32_t why() const { return std::bit_cast<std::uint32_t>(threshold) & halt_bits; }

  template <bool MayBeMissing>
  std::uint32_t ahead(float const* row) const {
    float const cell = row[where & (missing_right - 1)];
    bool right = cell > threshold;
    if constexpr (MayBeMissing) right = right | ((cell != cell) & ((where & missing_right) != 0));
    return (where >> (feature_bits + 1)) + static_cast<std::uint32_t>(right);
  }

 private:
  // A float is at most `threshold` if and only if it is at most the result.
  static float rounded_down(double threshold) {
    auto const rounded = static_cast<float>(threshold);
    return static_cast<double>(rounded) > threshold ? std::nextafter(rounded, -std::numeric_limits<float>::infinity()) : rounded;
  }
};
static_assert(sizeof(NarrowStep) == 8);

// A NaN that says why rows halt.
inline double halting_number(std::uint32_t why) { return std::bit_cast<double>(0x7FF8000000000000ULL | why); }
inline std::uint32_t why_of(double number) { return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(number)); }

// A threshold as the tree has it, for rows of any precision and trees of any size.
struct WideStep {
  double threshold;       // NaN in a halt
  std::uint32_t feature;  // | missing_right
  std::uint32_t to_child;

  static constexpr std::uint32_t missing_right = 1U << Node::feature_bits;
  static constexpr std::uint32_t stop = 1U << 31;

  static bool can_hold(Tree const& tree) { return tree.n_leaf_rows() <= stop; }
  static bool can_hold(Tree const&, Node const& node) { return node.kind() == Threshold::number; }
  static WideStep halting(std::uint32_t why) { return {halting_number(why), 0, 0}; }
  static WideStep of(Tree const&, Node const& node, std::uint32_t to_child) {
    return {node.threshold, node.feature() | (node.missing_left() ? 0U : missing_right), to_child};
  }

  bool halts() const { return threshold != threshold; }
  std::uint32_t why() const { return why_of(threshold); }

  template <bool MayBeMissing, class T>
  std::uint32_t ahead(T const* row) const {
    auto const cell = static_cast<double>(row[feature & (missing_right - 1)]);
    bool right = cell > threshold;
    if constexpr (MayBeMissing) right = right | ((cell != cell) & ((feature & missing_right) != 0));
    return to_child + static_cast<std::uint32_t>(right);
  }
};
static_assert(sizeof(WideStep) == 16);

// A line through two numeric columns, or a threshold as the line 1 a + 0 a; the arithmetic of `Plane`. In a halt the offset is NaN, so rows
// go right of one step back.
struct SlantedStep {
  double weight_a;
  double weight_b;
  double offset;
  std::uint16_t feature_a;
  std::uint16_t feature_b;
  std::int32_t where;  // 2 x steps to the left child | 1 if missing goes right

  static constexpr std::uint32_t stop = 1U << 31;

  static bool can_hold(Tree const& tree) {
    return tree.n_features <= std::numeric_limits<std::uint16_t>::max() && tree.nodes.size() < std::size_t{1} << 30 &&
           tree.n_leaf_rows() <= stop;
  }
  static bool can_hold(Tree const& tree, Node const& node) {
    if (node.kind() == Threshold::number) return true;
    if (node.kind() != Plane::number) return false;
    Plane::Record const& plane = tree.records_of<Plane>()[node.pool_index()];
    return plane.map_a == Plane::no_map && plane.map_b == Plane::no_map && plane.weight_b != 0.0;
  }
  static SlantedStep halting(std::uint32_t why) { return {0.0, 0.0, halting_number(why), 0, 0, -1}; }
  static SlantedStep of(Tree const& tree, Node const& node, std::uint32_t to_child) {
    auto const narrow = [](std::uint32_t feature) { return static_cast<std::uint16_t>(feature); };
    auto const where = static_cast<std::int32_t>(2 * to_child + (node.missing_left() ? 0U : 1U));
    if (node.kind() == Threshold::number) return {1.0, 0.0, node.threshold, narrow(node.feature()), narrow(node.feature()), where};
    Plane::Record const& plane = tree.records_of<Plane>()[node.pool_index()];
    return {plane.weight_a, plane.weight_b, plane.offset, narrow(plane.feature_a), narrow(plane.feature_b), where};
  }

  bool halts() const { return offset != offset; }
  std::uint32_t why() const { return why_of(offset); }

  template <bool MayBeMissing, class T>
  std::uint32_t ahead(T const* row) const {
    auto const a = static_cast<double>(row[feature_a]);
    auto const b = static_cast<double>(row[feature_b]);
    if constexpr (MayBeMissing) {
      double const of_b = weight_b == 0.0 ? 0.0 : weight_b * b;  // a threshold: 0 times infinity would be NaN
      bool const right = ((a != a) | (b != b)) ? (where & 1) != 0 : !(weight_a * a + of_b <= offset);
      return static_cast<std::uint32_t>(where >> 1) + static_cast<std::uint32_t>(right);
    }
    bool const right = !(weight_a * a + weight_b * b <= offset);
    return static_cast<std::uint32_t>(where >> 1) + static_cast<std::uint32_t>(right);
  }
};
static_assert(sizeof(SlantedStep) == 32);

template <class Step>
class Stairs {
 public:
  struct Stop {
    std::uint32_t node;   // of the tree
    std::uint32_t child;  // the step of its first child
  };

  explicit Stairs(Tree const& tree) : steps_(tree.nodes.size()), nodes_(1, 0) {
    nodes_.reserve(tree.nodes.size());
    for (std::uint32_t at = 0; at < nodes_.size(); ++at) {
      Node const& node = tree.nodes[nodes_[at]];
      auto const child = static_cast<std::uint32_t>(nodes_.size());
      for (std::uint32_t c = 0; c < tree.n_children(node); ++c) nodes_.push_back(node.first_child + c);
      if (node.is_leaf()) {
        steps_[at] = Step::halting(node.first_child);
      } else if (Step::can_hold(tree, node)) {
        steps_[at] = Step::of(tree, node, child - at);
      } else {
        steps_[at] = Step::halting(static_cast<std::uint32_t>(stops_.size()) | Step::stop);
        stops_.push_back({nodes_[at], child});
      }
    }
    nodes_ = {};
  }

  Step const* steps() const { return steps_.data(); }
  bool has_stops() const { return !stops_.empty(); }
  Stop const& stop(std::size_t i) const { return stops_[i]; }
  std::size_t bytes() const { return steps_.capacity() * sizeof(Step) + stops_.capacity() * sizeof(Stop); }

 private:
  std::vector<Step> steps_;
  std::vector<std::uint32_t> nodes_;  // while it is made: the node of each step
  std::vector<Stop> stops_;
};

}  // namespace rarewood
