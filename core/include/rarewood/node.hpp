// A node as trees store it, and the lists of categories that some of them need.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

namespace rarewood {

// 16 bytes; four of them share a cache line.
struct Node {
  static constexpr std::uint32_t feature_bits = 27;
  static constexpr std::uint32_t max_features = (1U << feature_bits) - 1;
  static constexpr std::uint32_t leaf = 0;  // as a kind; those of splits are the numbers of node_tests/

  double threshold = 0.0;         // of a Threshold; other kinds: index into the kind's pool
  std::uint32_t first_child = 0;  // leaf: row of the leaf table
  std::uint32_t packed = 0;       // feature | missing goes left | kind

  Node() = default;
  // Its children are still unnumbered.
  Node(std::uint32_t kind, std::uint32_t feature, bool missing_left, double threshold_)
      : threshold(threshold_), packed(feature | (missing_left ? 1U << feature_bits : 0U) | kind << (feature_bits + 1)) {}

  static Node leaf_of(std::uint32_t row) {
    Node node(leaf, 0, true, 0.0);
    node.first_child = row;
    return node;
  }

  std::uint32_t kind() const { return packed >> (feature_bits + 1); }
  bool is_leaf() const { return kind() == leaf; }
  std::uint32_t feature() const { return packed & max_features; }
  bool missing_left() const { return (packed >> feature_bits & 1U) != 0; }
  std::size_t pool_index() const { return static_cast<std::size_t>(threshold); }
  bool has_pool_index(std::size_t size) const {
    return threshold >= 0.0 && threshold < static_cast<double>(size) && threshold == std::floor(threshold);
  }
};
static_assert(sizeof(Node) == 16);

// Where in the pool of categories the codes of one list stand, ascending; a kind may put as many numbers again behind them.
struct CategoryList {
  std::uint32_t begin;
  std::uint32_t size;
  std::uint32_t missing_child;  // of Branches
  std::uint32_t leaf_row;       // of Branches
};

// What a kind of test says of a row that goes to no child: it stays at the node.
inline constexpr std::uint32_t stays = static_cast<std::uint32_t>(-1);

}  // namespace rarewood
