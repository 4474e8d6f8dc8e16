// Down an original tree, from the root to the node where a row ends: what is used until a compact tree is worth making. In trees that only
// have thresholds eight rows go side by side, so that the cache misses of one hide behind the others.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "rarewood/tree.hpp"

namespace rarewood {

inline constexpr std::size_t side_by_side = 8;

inline std::uint32_t leaf_row_of(Tree const& tree, std::uint32_t index) { return tree.row_of(tree.nodes[index]); }

// Where a row goes from a node. Returns the node itself when the row ends there.
template <class T>
std::uint32_t next_node(Tree const& tree, std::uint32_t index, T const* row) {
  Node const& node = tree.nodes[index];
  std::uint32_t const child = visit_kind(node, stays, [&]<class Kind>(std::type_identity<Kind>) { return Kind::child(tree, node, row); });
  return child == stays ? index : node.first_child + child;
}

// One row, down any tree.
template <class T>
std::uint32_t descend_any(Tree const& tree, T const* row) {
  std::uint32_t index = 0;
  for (std::uint32_t next = next_node(tree, index, row); next != index; next = next_node(tree, index, row)) index = next;
  return index;
}

// One level down in a tree that only has thresholds; a leaf leads to itself.
template <class T, bool MayBeMissing>
std::uint32_t next_of_threshold(Node const* tree, std::uint32_t index, T const* row) {
  Node const& node = tree[index];
  double const cell = static_cast<double>(row[node.feature()]);
  bool right = cell > node.threshold;
  if constexpr (MayBeMissing) right = cell != cell ? !node.missing_left() : right;
  std::uint32_t const next = node.first_child + (right ? 1U : 0U);
  return node.is_leaf() ? index : next;
}

inline bool is_numeric_only(Tree const& tree) {
  bool only = tree.category_lists.empty() && tree.n_features > 0;
  for_each_kind([&]<class Kind>(std::type_identity<Kind>) {
    if constexpr (HasRecord<Kind>) only = only && tree.records_of<Kind>().empty();
  });
  return only;
}

// Eight rows, `stride` apart, down a tree that only has thresholds. None branches on where the others are.
template <class T, bool MayBeMissing>
void descend_eight_rows(Node const* tree, T const* rows, std::ptrdiff_t stride, std::uint32_t* nodes) {
  std::array<std::uint32_t, side_by_side> at{};
  std::uint32_t moved = 1;
  while (moved != 0) {
    moved = 0;
    T const* row = rows;
    for (std::size_t w = 0; w < side_by_side; ++w, row += stride) {
      std::uint32_t const next = next_of_threshold<T, MayBeMissing>(tree, at[w], row);
      moved |= next ^ at[w];
      at[w] = next;
    }
  }
  std::copy(at.begin(), at.end(), nodes);
}

// Where n rows, `stride` apart, end in one tree.
template <class T, bool MayBeMissing>
void descend_rows(Tree const& tree, T const* rows, std::ptrdiff_t stride, std::size_t n, std::uint32_t* nodes) {
  std::size_t done = 0;
  for (; done + side_by_side <= n; done += side_by_side)
    descend_eight_rows<T, MayBeMissing>(tree.nodes.data(), rows + static_cast<std::ptrdiff_t>(done) * stride, stride, nodes + done);
  for (; done < n; ++done) nodes[done] = descend_any(tree, rows + static_cast<std::ptrdiff_t>(done) * stride);
}

// For any tree; may_be_missing = false promises that no row has a NaN.
template <class T>
void descend(Tree const& tree, T const* rows, std::ptrdiff_t stride, std::size_t n, bool may_be_missing, std::uint32_t* nodes) {
  if (!is_numeric_only(tree)) {
    for (std::size_t r = 0; r < n; ++r) nodes[r] = descend_any(tree, rows + static_cast<std::ptrdiff_t>(r) * stride);
  } else if (may_be_missing) {
    descend_rows<T, true>(tree, rows, stride, n, nodes);
  } else {
    descend_rows<T, false>(tree, rows, stride, n, nodes);
  }
}

}  // namespace rarewood
