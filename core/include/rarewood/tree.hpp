// A fitted tree: flat arrays, no algorithm. Everything prediction needs and no more; what a person may ask for (counts of inner nodes,
// depth, number of cases) is derived on request.
//
// Invariants: node 0 is the root; the children of a node are adjacent and come after it; every index stays inside its pool
// (`check` verifies all of this for trees that come from outside).
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "rarewood/types.hpp"

namespace rarewood {

enum class SplitKind : std::uint8_t { leaf, numeric, subset, multiway, hyperplane };

// 16 bytes; four of them share a cache line.
struct Node {
  static constexpr std::uint32_t feature_bits = 27;
  static constexpr std::uint32_t max_features = (1U << feature_bits) - 1;

  double threshold = 0.0;         // numeric: x <= threshold goes left. Other kinds: index into the kind's pool.
  std::uint32_t first_child = 0;  // leaf: row of the leaf table
  std::uint32_t packed = 0;       // feature | missing goes left | kind

  Node() = default;
  Node(SplitKind kind, std::uint32_t feature, bool missing_left, double threshold_, std::uint32_t first_child_)
      : threshold(threshold_),
        first_child(first_child_),
        packed(feature | (missing_left ? 1U << feature_bits : 0U) | static_cast<std::uint32_t>(kind) << (feature_bits + 1)) {}

  SplitKind kind() const { return static_cast<SplitKind>(packed >> (feature_bits + 1)); }
  std::uint32_t feature() const { return packed & max_features; }
  bool missing_left() const { return (packed >> feature_bits & 1U) != 0; }
  std::size_t pool_index() const { return static_cast<std::size_t>(threshold); }
};
static_assert(sizeof(Node) == 16);

// A half-plane of two attributes: weight_a * a + weight_b * b <= offset goes left.
struct Hyperplane {
  std::uint32_t feature_a;
  std::uint32_t feature_b;
  double weight_a;
  double weight_b;
  double offset;
  std::uint32_t map_a;  // nominal attribute: its CategoryList; otherwise no_map
  std::uint32_t map_b;
  std::uint32_t unseen_left;  // 1: a category without a place goes left, the heavier child

  static constexpr std::uint32_t no_map = std::numeric_limits<std::uint32_t>::max();
};

// Where in `category_pool` the codes of one nominal split stand.
// subset: the codes that go left, ascending; every other code goes right, which is the heavier child.
// multiway: the codes of the children in order, ascending.
// Map of a hyperplane: `size` codes, ascending, followed by as many coordinates.
struct CategoryList {
  std::uint32_t begin;
  std::uint32_t size;
  std::uint32_t missing_child;  // multiway: which child takes missing values
  std::uint32_t leaf_row;       // multiway: where an unseen category stops, this node's own counts
};

struct Tree {
  std::size_t n_features = 0;
  std::size_t n_classes = 0;
  std::vector<Node> nodes;
  std::vector<CategoryList> category_lists;
  std::vector<Code> category_pool;
  std::vector<Hyperplane> hyperplanes;
  std::vector<double> leaf_table;   // rows of n_classes weighted counts and the number of cases; equal leaves share a row
  std::vector<double> importances;  // sum over splits of node weight x improvement, per feature

  std::size_t leaf_stride() const { return n_classes + 1; }
  double const* leaf_row(std::size_t row) const { return leaf_table.data() + row * leaf_stride(); }

  std::uint32_t n_children(Node const& node) const;
  std::span<Code const> codes(CategoryList const& list) const { return {category_pool.data() + list.begin, list.size}; }
  std::span<Code const> places(CategoryList const& list) const { return {category_pool.data() + list.begin + list.size, list.size}; }

  // Memory it holds.
  std::size_t bytes() const;

  // Throws std::invalid_argument unless every invariant holds; a tree that passes can be walked without further checks.
  void check() const;
};

// Per node, n_classes weighted counts and the number of cases: inner nodes are sums of their leaves.
std::vector<double> node_table(Tree const& tree);

// Per node, its distance from the root.
std::vector<std::uint32_t> node_depths(Tree const& tree);

}  // namespace rarewood
