// A tree rewritten for fast descent: compact nodes in breadth-first order, siblings adjacent. A compact node is read at once, compares or
// looks up a category, and adds. A descent ends at a *mark*, which leads to itself, so that rows may go a few nodes too far. A mark stands for
// a leaf, or for a *fallback*: a node whose test fits into no compact node, where the original tree decides.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "predict/category_words.hpp"
#include "rarewood/tree.hpp"

namespace rarewood {

// What a descent must be prepared for: finite numbers alone; any number; any number, and nodes that look up categories.
enum class Meets { finite, numbers, categories };

// run.operator()<meets>()
template <class Run>
void with_meets(Meets meets, Run run) {
  switch (meets) {
    case Meets::finite: return run.template operator()<Meets::finite>();
    case Meets::numbers: return run.template operator()<Meets::numbers>();
    case Meets::categories: return run.template operator()<Meets::categories>();
  }
}

// A threshold in the precision of float32 rows: eight bytes. The threshold of a mark is NaN, which nothing exceeds, and its lower bits are the
// mark: a row of the leaf table, or `fallback` and the number of a fallback. A negative NaN is a set of categories; its lower bits are
// the slot.
struct NarrowNode {
  static constexpr int feature_bits = 10;
  static constexpr std::uint32_t missing_right = 1U << feature_bits;
  static constexpr std::uint32_t fallback = 1U << 21;
  static constexpr std::uint32_t mark_bits = 2 * fallback - 1;
  static constexpr int slot_size_bits = 3;

  float threshold;
  std::uint32_t where;  // distance to the left child | missing_right | column

  static bool can_hold(Tree const& tree) {
    std::size_t const most = std::size_t{1} << (31 - feature_bits);
    return tree.n_features <= missing_right && tree.nodes.size() <= most && tree.n_leaf_rows() <= fallback;
  }
  static NarrowNode marking(std::uint32_t mark) { return {std::bit_cast<float>((~mark_bits & 0x7FFFFFFFU) | mark), 0}; }
  // Nothing: the node does not fit.
  static std::optional<NarrowNode> of(Tree const& tree, Node const& node, std::uint32_t to_child, CategoryWords& categories) {
    std::uint32_t const where = to_child << (feature_bits + 1) | (node.missing_left() ? 0U : missing_right) | node.feature();
    if (node.kind() == Threshold::number) return NarrowNode{rounded_down(node.threshold), where};
    if (node.kind() != CategorySet::number) return std::nullopt;
    auto const slot = categories.add_set(tree.codes(node.pool_index()));
    if (!slot || slot->size_log2 >> slot_size_bits != 0 || slot->begin > mark_bits >> slot_size_bits) return std::nullopt;
    return NarrowNode{std::bit_cast<float>(~mark_bits | slot->begin << slot_size_bits | slot->size_log2), where};
  }

  bool is_mark() const { return std::bit_cast<std::int32_t>(threshold) > 0x7F800000; }
  std::uint32_t mark() const { return std::bit_cast<std::uint32_t>(threshold) & mark_bits; }

  template <Meets meets>
  std::uint32_t ahead(float const* row, std::uint32_t const* words) const {
    float const cell = row[where & (missing_right - 1)];
    bool right = cell > threshold;
    if constexpr (meets == Meets::categories) {
      auto const bits = std::bit_cast<std::uint32_t>(threshold);
      bool const is_set = bits >= ~mark_bits;
      std::uint32_t const slot = is_set ? bits & mark_bits : 0U;
      right = right | (is_set & (cell == cell) &
                       CategoryWords::is_right(words, {slot >> slot_size_bits, slot & ((1U << slot_size_bits) - 1)}, cell));
    }
    if constexpr (meets != Meets::finite) right = right | ((cell != cell) & ((where & missing_right) != 0));
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
  double threshold;       // NaN: a mark; negative NaN: a set of categories
  std::uint32_t feature;  // | missing_right
  std::uint32_t to_child;

  static constexpr std::uint32_t missing_right = 1U << Node::feature_bits;
  static constexpr std::uint64_t set_bits = 0xFFF8000000000000ULL;
  static constexpr std::uint32_t fallback = 1U << 31;

  static bool can_hold(Tree const& tree) { return tree.n_leaf_rows() <= fallback; }
  static WideNode marking(std::uint32_t mark) { return {marking_number(mark), 0, 0}; }
  static std::optional<WideNode> of(Tree const& tree, Node const& node, std::uint32_t to_child, CategoryWords& categories) {
    std::uint32_t const feature = node.feature() | (node.missing_left() ? 0U : missing_right);
    if (node.kind() == Threshold::number) return WideNode{node.threshold, feature, to_child};
    if (node.kind() != CategorySet::number) return std::nullopt;
    auto const slot = categories.add_set(tree.codes(node.pool_index()));
    if (!slot) return std::nullopt;
    return WideNode{std::bit_cast<double>(set_bits | slot->packed()), feature, to_child};
  }

  bool is_mark() const { return std::bit_cast<std::int64_t>(threshold) > 0x7FF0000000000000; }
  std::uint32_t mark() const { return mark_of(threshold); }

  template <Meets meets, class T>
  std::uint32_t ahead(T const* row, std::uint32_t const* words) const {
    auto const cell = static_cast<double>(row[feature & (missing_right - 1)]);
    bool right = cell > threshold;
    if constexpr (meets == Meets::categories) {
      bool const is_set = std::bit_cast<std::uint64_t>(threshold) >= set_bits;
      auto const slot = CategoryWords::Slot::unpacked(is_set ? mark_of(threshold) : 0U);
      right = right | (is_set & (cell == cell) & CategoryWords::is_right(words, slot, cell));
    }
    if constexpr (meets != Meets::finite) right = right | ((cell != cell) & ((feature & missing_right) != 0));
    return to_child + static_cast<std::uint32_t>(right);
  }
};
static_assert(sizeof(WideNode) == 16);

// A line through two columns, or a threshold as the line 1 a + 0 a; the arithmetic of `Plane`. A mark has offset NaN and
// distance -1, so every row goes to the right child, which is the mark itself.
struct SlantedNode {
  double weight_a;
  double weight_b;
  double offset;
  std::uint16_t feature_a;
  std::uint16_t feature_b;
  std::int32_t where;  // 4 x distance to the left child | 2 if unseen categories go right | 1 if missing goes right

  static constexpr std::uint32_t fallback = 1U << 31;

  static bool can_hold(Tree const& tree) {
    return tree.n_features <= std::numeric_limits<std::uint16_t>::max() && tree.nodes.size() < std::size_t{1} << 29 &&
           tree.n_leaf_rows() <= fallback;
  }
  static SlantedNode marking(std::uint32_t mark) { return {0.0, 0.0, marking_number(mark), 0, 0, -1}; }
  static std::optional<SlantedNode> of(Tree const& tree, Node const& node, std::uint32_t to_child, CategoryWords&) {
    bool const is_plane = node.kind() == Plane::number;
    if (!is_plane && node.kind() != Threshold::number) return std::nullopt;
    if (!is_plane) return of_column(node, node.threshold, to_child);
    Plane::Record const& plane = tree.records_of<Plane>()[node.pool_index()];
    if (plane.map_a != Plane::no_map || plane.map_b != Plane::no_map || plane.weight_b == 0.0) return std::nullopt;
    return of_plane(node, plane, to_child);
  }
  // value of one column <= offset
  static SlantedNode of_column(Node const& node, double offset, std::uint32_t to_child) {
    return {1.0, 0.0, offset, narrow(node.feature()), narrow(node.feature()), where_of(node, to_child, true)};
  }
  static SlantedNode of_plane(Node const& node, Plane::Record const& plane, std::uint32_t to_child) {
    return {plane.weight_a,          plane.weight_b,          plane.offset,
            narrow(plane.feature_a), narrow(plane.feature_b), where_of(node, to_child, plane.unseen_left == 0)};
  }

  bool is_mark() const { return offset != offset; }
  std::uint32_t mark() const { return mark_of(offset); }

  template <Meets meets, class T>
  std::uint32_t ahead(T const* row, std::uint32_t const*) const {
    auto const a = static_cast<double>(row[feature_a]);
    auto const b = static_cast<double>(row[feature_b]);
    if constexpr (meets == Meets::finite) return towards(!(weight_a * a + weight_b * b <= offset));
    return towards(((a != a) | (b != b)) ? (where & 1) != 0 : is_right(a, b));
  }
  bool is_right(double a, double b) const {
    double const of_b = weight_b == 0.0 ? 0.0 : weight_b * b;  // a threshold: 0 times infinity would be NaN
    return !(weight_a * a + of_b <= offset);
  }
  std::uint32_t towards(bool right) const { return static_cast<std::uint32_t>(where >> 2) + static_cast<std::uint32_t>(right); }

 private:
  static std::uint16_t narrow(std::uint32_t feature) { return static_cast<std::uint16_t>(feature); }
  static std::int32_t where_of(Node const& node, std::uint32_t to_child, bool unseen_right) {
    return static_cast<std::int32_t>(4 * to_child + (unseen_right ? 2U : 0U) + (node.missing_left() ? 0U : 1U));
  }
};
static_assert(sizeof(SlantedNode) == 32);

// The same with places of categories: a set of categories is a line, too, on which its members have place 0 and all others are unseen.
struct PlacedNode {
  SlantedNode line;
  std::uint32_t slot_a;  // of the places of feature_a; 0: it holds numbers
  std::uint32_t slot_b;

  static constexpr std::uint32_t fallback = SlantedNode::fallback;

  static bool can_hold(Tree const& tree) { return SlantedNode::can_hold(tree); }
  static PlacedNode marking(std::uint32_t mark) { return {SlantedNode::marking(mark), 0, 0}; }
  static std::optional<PlacedNode> of(Tree const& tree, Node const& node, std::uint32_t to_child, CategoryWords& categories) {
    if (node.kind() == Threshold::number) return PlacedNode{SlantedNode::of_column(node, node.threshold, to_child), 0, 0};
    if (node.kind() == CategorySet::number) {
      auto const slot = categories.add_places(tree.codes(node.pool_index()), {});
      if (!slot) return std::nullopt;
      return PlacedNode{SlantedNode::of_column(node, 0.0, to_child), slot->packed(), 0};
    }
    if (node.kind() != Plane::number) return std::nullopt;
    Plane::Record const& plane = tree.records_of<Plane>()[node.pool_index()];
    if (plane.weight_b == 0.0) return std::nullopt;
    PlacedNode result{SlantedNode::of_plane(node, plane, to_child), 0, 0};
    for (auto const& [map, slot] : {std::pair(plane.map_a, &result.slot_a), std::pair(plane.map_b, &result.slot_b)}) {
      if (map == Plane::no_map) continue;
      auto const added = categories.add_places(tree.codes(map), tree.behind_codes(map));
      if (!added) return std::nullopt;
      *slot = added->packed();
    }
    return result;
  }

  bool is_mark() const { return line.is_mark(); }
  std::uint32_t mark() const { return line.mark(); }

  template <Meets meets, class T>
  std::uint32_t ahead(T const* row, std::uint32_t const* words) const {
    if constexpr (meets != Meets::categories) return line.ahead<meets>(row, words);
    auto const a = static_cast<double>(row[line.feature_a]);
    auto const b = static_cast<double>(row[line.feature_b]);
    auto const place_a = CategoryWords::place(words, CategoryWords::Slot::unpacked(slot_a), a);
    auto const place_b = CategoryWords::place(words, CategoryWords::Slot::unpacked(slot_b), b);
    bool const unseen = ((slot_a != 0) & !place_a.known) | ((slot_b != 0) & !place_b.known);
    bool const right = unseen ? (line.where & 2) != 0 : line.is_right(slot_a != 0 ? place_a.at : a, slot_b != 0 ? place_b.at : b);
    return line.towards(((a != a) | (b != b)) ? (line.where & 1) != 0 : right);
  }
};
static_assert(sizeof(PlacedNode) == 40);

template <class CompactNode>
class CompactTree {
 public:
  struct Fallback {
    std::uint32_t node;   // of the tree
    std::uint32_t child;  // the compact node of its first child
  };

  explicit CompactTree(Tree const& tree) : nodes_(tree.nodes.size()), categories_(tree.nodes.size()), origin_(1, 0) {
    origin_.reserve(tree.nodes.size());
    for (std::uint32_t at = 0; at < origin_.size(); ++at) {
      Node const& node = tree.nodes[origin_[at]];
      auto const child = static_cast<std::uint32_t>(origin_.size());
      for (std::uint32_t c = 0; c < tree.n_children(node); ++c) origin_.push_back(node.first_child + c);
      if (node.is_leaf()) {
        nodes_[at] = CompactNode::marking(node.first_child);
      } else if (auto const compact = CompactNode::of(tree, node, child - at, categories_)) {
        nodes_[at] = *compact;
      } else {
        nodes_[at] = CompactNode::marking(static_cast<std::uint32_t>(fallbacks_.size()) | CompactNode::fallback);
        fallbacks_.push_back({origin_[at], child});
      }
    }
    origin_ = {};
    categories_.shrink_to_fit();
  }

  CompactNode const* nodes() const { return nodes_.data(); }
  // What nodes look up.
  std::uint32_t const* words() const { return categories_.data(); }
  // For rows of which some cell may not be finite.
  Meets meets(bool may_be_missing) const {
    return !categories_.empty() ? Meets::categories : may_be_missing ? Meets::numbers : Meets::finite;
  }
  bool has_fallbacks() const { return !fallbacks_.empty(); }
  Fallback const& fallback(std::size_t i) const { return fallbacks_[i]; }
  std::size_t bytes() const {
    return nodes_.capacity() * sizeof(CompactNode) + fallbacks_.capacity() * sizeof(Fallback) + categories_.bytes();
  }

 private:
  std::vector<CompactNode> nodes_;
  CategoryWords categories_;
  std::vector<std::uint32_t> origin_;  // while it is made: the original of each compact node
  std::vector<Fallback> fallbacks_;
};

}  // namespace rarewood
