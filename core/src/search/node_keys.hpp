// What the branches of a node's key are for. The node's own stream draws the order of its columns.
#pragma once

#include <cstdint>

#include "base/rng.hpp"

namespace rarewood {

inline Key child_key(Key node, std::uint32_t child) { return node.branch(child); }

// Cuts of one column.
inline Key column_key(Key node, std::uint32_t feature) { return node.branch((std::uint64_t{1} << 32) + feature); }

// Lines through a pair of columns. A pair may be drawn again at the same node and gets other lines then, so the number of the draw counts.
inline Key pair_key(Key node, std::uint32_t feature_a, std::uint32_t feature_b, std::size_t draw) {
  return column_key(column_key(node, feature_a), feature_b).branch(draw);
}

// The sides of categories that are absent from the node; beside the stream of the column's cuts.
inline Key scatter_key(Key column) { return column.branch(0); }

}  // namespace rarewood
