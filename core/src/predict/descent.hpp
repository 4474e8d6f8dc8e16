// A block of rows on its way down one compact tree. Rows move a few nodes at a time; those that have arrived leave, so that no row goes as
// far as the deepest.
#pragma once

#include <array>
#include <cstdint>

#include "predict/compact_tree.hpp"
#include "predict/descend.hpp"
#include "predict/vector_descent.hpp"

namespace rarewood {

inline constexpr std::size_t block_rows = 512;  // that go down a tree together

// Rows that have arrived, in any order.
struct Arrivals {
  std::array<std::uint32_t, block_rows + vector_room> row;       // of the block
  std::array<std::uint32_t, block_rows + vector_room> leaf_row;  // of the leaf table
  std::size_t size = 0;
};

class Descent {
 public:
  // Takes at most block_rows rows, `stride` apart, to leaves; may_be_missing = false promises that all cells are finite.
  template <class CompactNode, class T>
  Arrivals const& descend(Tree const& tree, CompactTree<CompactNode> const& compact, T const* rows, std::size_t stride, std::size_t n,
                          bool may_be_missing) {
    arrived_.size = 0;
    n_moving_ = n;
    for (std::size_t i = 0; i < n; ++i) {
      at_[i] = 0;
      row_[i] = static_cast<std::uint32_t>(i);
    }
    while (n_moving_ > 0) {
      std::size_t const first = arrived_.size;
      with_meets(compact.meets(may_be_missing), [&]<Meets meets>() { go<meets>(compact, rows, stride); });
      if (compact.has_fallbacks()) leave_fallbacks(tree, compact, rows, stride, first);
    }
    return arrived_;
  }

 private:
  // Until all have arrived.
  template <Meets meets, class CompactNode, class T>
  void go(CompactTree<CompactNode> const& compact, T const* rows, std::size_t stride) {
    CompactNode const* const nodes = compact.nodes();
    std::uint32_t const* const words = compact.words();
    MovingRows const moving{at_.data(), row_.data(), n_moving_};
    ArrivedRows const arrived{arrived_.row.data(), arrived_.leaf_row.data(), arrived_.size};
    if (vector_descend(meets, nodes, words, rows, stride, moving, arrived)) {
      arrived_.size += n_moving_;
      n_moving_ = 0;
      return;
    }
    while (n_moving_ > 0) {
      std::size_t n_left = 0;
      std::size_t n_arrived = arrived_.size;
      for (std::size_t i = 0; i < n_moving_; ++i) {
        std::uint32_t const row = row_[i];
        T const* const cells = rows + row * stride;
        std::uint32_t at = at_[i];
        at += nodes[at].template ahead<meets>(cells, words);
        CompactNode const& node = nodes[at];
        bool const is_mark = node.is_mark();
        arrived_.row[n_arrived] = row;  // written in either case: a branch would be wrong too often
        arrived_.leaf_row[n_arrived] = node.mark();
        n_arrived += static_cast<std::size_t>(is_mark);
        row_[n_left] = row;
        at_[n_left] = at + node.template ahead<meets>(cells, words);
        n_left += static_cast<std::size_t>(!is_mark);
      }
      arrived_.size = n_arrived;
      n_moving_ = n_left;
    }
  }

  // Of the arrivals from number `first` on, those at a fallback go on.
  template <class CompactNode, class T>
  void leave_fallbacks(Tree const& tree, CompactTree<CompactNode> const& compact, T const* rows, std::size_t stride, std::size_t first) {
    std::size_t n_stay = first;
    for (std::size_t i = first; i < arrived_.size; ++i) {
      std::uint32_t const row = arrived_.row[i];
      std::uint32_t mark = arrived_.leaf_row[i];
      if ((mark & CompactNode::fallback) != 0) {
        auto const& fallback = compact.fallback(mark & (CompactNode::fallback - 1));
        std::uint32_t const next = next_node(tree, fallback.node, rows + row * stride);
        if (next != fallback.node) {
          row_[n_moving_] = row;
          at_[n_moving_++] = fallback.child + (next - tree.nodes[fallback.node].first_child);
          continue;
        }
        mark = tree.row_of(tree.nodes[fallback.node]);
      }
      arrived_.row[n_stay] = row;
      arrived_.leaf_row[n_stay++] = mark;
    }
    arrived_.size = n_stay;
  }

  // Rows that still move: where they are, and which they are.
  std::array<std::uint32_t, block_rows + vector_room> at_;
  std::array<std::uint32_t, block_rows + vector_room> row_;
  std::size_t n_moving_ = 0;
  Arrivals arrived_;
};

}  // namespace rarewood
