// A tree rewritten for fast descent: compact nodes in breadth-first order, siblings adjacent. A compact node is read at once, compares and
// adds. A descent ends at a *mark*, which leads to itself, so that rows may go a few nodes too far. A mark stands for a leaf, or for a
// *fallback*: a node whose test fits into no compact node, where the original tree decides.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "rarewood/tree.hpp"

namespace rarewood {

// A threshold in the precision of float32 rows: eight bytes. The threshold of a mark is NaN, which nothing exceeds, and its lower bits are the
// mark: a row of the leaf table, or `fallback` and the number of a fallback.
struct NarrowNode {
  static constexpr int feature_bits = 10;
  static constexpr std::uint32_t missing_right = 1U << feature_bits;
  static constexpr std::uint32_t fallback = 1U << 21;
  static constexpr std::uint32_t mark_bits = 2 * fallback - 1;

  float threshold;
  std::uint32_t where;  // distance to the left child | missing_right | column

  static bool can_hold(Tree const& tree) {
    std::size_t const most = std::size_t{1} << (31 - feature_bits);
    return tree.n_features <= missing_right && tree.nodes.size() <= most && tree.n_leaf_rows() <= fallback;
  }
  static bool can_hold(Tree const&, Node const& node) { return node.kind() == Threshold::number; }
  static NarrowNode marking(std::uint32_t mark) { return {std::bit_cast<float>((~mark_bits & 0x7FFFFFFFU) | mark), 0}; }
  static NarrowNode of(Tree const&, Node const& node, std::uint32_t to_child) {
    return {rounded_down(node.threshold), to_child << (feature_bits + 1) | (node.missing_left() ? 0U : missing_right) | node.feature()};
  }

  bool is_mark() const { return threshold != threshold; }
  std::uint32_t mark() const { return std::bit_cast<std::uint32_t>(threshold) & mark_bits; }

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
static_assert(sizeof(NarrowNode) == 8);

// A NaN that carries a mark.
inline double marking_number(std::uint32_t mark) { return std::bit_cast<double>(0x7FF8000000000000ULL | mark); }
inline std::uint32_t mark_of(double number) { return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(number)); }

// A threshold as the tree has it, for rows of any precision and trees of any size.
struct WideNode {
  double threshold;       // NaN: a mark
  std::uint32_t feature;  // | missing_right
  std::uint32_t to_child;

  static constexpr std::uint32_t missing_right = 1U << Node::feature_bits;
  static constexpr std::uint32_t fallback = 1U << 31;

  static bool can_hold(Tree const& tree) { return tree.n_leaf_rows() <= fallback; }
  static bool can_hold(Tree const&, Node const& node) { return node.kind() == Threshold::number; }
  static WideNode marking(std::uint32_t mark) { return {marking_number(mark), 0, 0}; }
  static WideNode of(Tree const&, Node const& node, std::uint32_t to_child) {
    return {node.threshold, node.feature() | (node.missing_left() ? 0U : missing_right), to_child};
  }

  bool is_mark() const { return threshold != threshold; }
  std::uint32_t mark() const { return mark_of(threshold); }

  template <bool MayBeMissing, class T>
  std::uint32_t ahead(T const* row) const {
    auto const cell = static_cast<double>(row[feature & (missing_right - 1)]);
    bool right = cell > threshold;
    if constexpr (MayBeMissing) right = right | ((cell != cell) & ((feature & missing_right) != 0));
    return to_child + static_cast<std::uint32_t>(right);
  }
};
static_assert(sizeof(WideNode) == 16);

// A line through two numeric columns, or a threshold as the line 1 a + 0 a; the arithmetic of `Plane`. A mark has offset NaN and
// distance -1, so every row goes to the right child, which is the mark itself.
struct SlantedNode {
  double weight_a;
  double weight_b;
  double offset;
  std::uint16_t feature_a;
  std::uint16_t feature_b;
  std::int32_t where;  // 2 x distance to the left child | 1 if missing goes right

  static constexpr std::uint32_t fallback = 1U << 31;

  static bool can_hold(Tree const& tree) {
    return tree.n_features <= std::numeric_limits<std::uint16_t>::max() && tree.nodes.size() < std::size_t{1} << 30 &&
           tree.n_leaf_rows() <= fallback;
  }
  static bool can_hold(Tree const& tree, Node const& node) {
    if (node.kind() == Threshold::number) return true;
    if (node.kind() != Plane::number) return false;
    Plane::Record const& plane = tree.records_of<Plane>()[node.pool_index()];
    return plane.map_a == Plane::no_map && plane.map_b == Plane::no_map && plane.weight_b != 0.0;
  }
  static SlantedNode marking(std::uint32_t mark) { return {0.0, 0.0, marking_number(mark), 0, 0, -1}; }
  static SlantedNode of(Tree const& tree, Node const& node, std::uint32_t to_child) {
    auto const narrow = [](std::uint32_t feature) { return static_cast<std::uint16_t>(feature); };
    auto const where = static_cast<std::int32_t>(2 * to_child + (node.missing_left() ? 0U : 1U));
    if (node.kind() == Threshold::number) return {1.0, 0.0, node.threshold, narrow(node.feature()), narrow(node.feature()), where};
    Plane::Record const& plane = tree.records_of<Plane>()[node.pool_index()];
    return {plane.weight_a, plane.weight_b, plane.offset, narrow(plane.feature_a), narrow(plane.feature_b), where};
  }

  bool is_mark() const { return offset != offset; }
  std::uint32_t mark() const { return mark_of(offset); }

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
static_assert(sizeof(SlantedNode) == 32);

template <class CompactNode>
class CompactTree {
 public:
  struct Fallback {
    std::uint32_t node;   // of the tree
    std::uint32_t child;  // the compact node of its first child
  };

  explicit CompactTree(Tree const& tree) : nodes_(tree.nodes.size()), origin_(1, 0) {
    origin_.reserve(tree.nodes.size());
    for (std::uint32_t at = 0; at < origin_.size(); ++at) {
      Node const& node = tree.nodes[origin_[at]];
      auto const child = static_cast<std::uint32_t>(origin_.size());
      for (std::uint32_t c = 0; c < tree.n_children(node); ++c) origin_.push_back(node.first_child + c);
      if (node.is_leaf()) {
        nodes_[at] = CompactNode::marking(node.first_child);
      } else if (CompactNode::can_hold(tree, node)) {
        nodes_[at] = CompactNode::of(tree, node, child - at);
      } else {
        nodes_[at] = CompactNode::marking(static_cast<std::uint32_t>(fallbacks_.size()) | CompactNode::fallback);
        fallbacks_.push_back({origin_[at], child});
      }
    }
    origin_ = {};
  }

  CompactNode const* nodes() const { return nodes_.data(); }
  bool has_fallbacks() const { return !fallbacks_.empty(); }
  Fallback const& fallback(std::size_t i) const { return fallbacks_[i]; }
  std::size_t bytes() const { return nodes_.capacity() * sizeof(CompactNode) + fallbacks_.capacity() * sizeof(Fallback); }

 private:
  std::vector<CompactNode> nodes_;
  std::vector<std::uint32_t> origin_;  // while it is made: the original of each compact node
  std::vector<Fallback> fallbacks_;
};

}  // namespace rarewood
