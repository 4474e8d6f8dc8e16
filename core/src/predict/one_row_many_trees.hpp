// One row at a time down many trees, side by side: what a few rows need.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "predict/descend.hpp"
#include "predict/prepared_tree.hpp"

namespace rarewood {

template <class T>
class OneRowManyTrees {
 public:
  static constexpr std::size_t most_trees = 128;

  // The trees that n_rows rows will descend.
  void take(std::span<Tree const> trees, std::size_t n_rows) {
    trees_ = trees;
    narrow_.clear();
    wide_.clear();
    slanted_.clear();
    placed_.clear();
    n_plain_ = 0;
    for (std::size_t t = 0; t < trees.size(); ++t) {
      PreparedTree<T> const* const ready = prepared<T>(trees[t], n_rows);
      auto const tree = static_cast<std::uint32_t>(t);
      if (ready == nullptr || !ready->visit([&](auto const& compact) { return add(compact, tree); })) plain_[n_plain_++] = tree;
    }
  }

  // The row of the leaf table in which a row ends, per tree.
  std::uint32_t const* descend(T const* row, bool may_be_missing) {
    if constexpr (std::is_same_v<T, float>) go_any(narrow_, row, may_be_missing);
    go_any(wide_, row, may_be_missing);
    go_any(slanted_, row, may_be_missing);
    go_any(placed_, row, may_be_missing);
    descend_plain(row);
    return leaf_rows_.data();
  }

 private:
  template <class CompactNode>
  struct Descents {
    std::array<CompactNode const*, most_trees> root;
    std::array<std::uint32_t const*, most_trees> words;
    std::array<std::uint32_t, most_trees> tree;
    std::size_t n = 0;
    Meets meets = Meets::finite;  // all cells being finite

    void clear() {
      n = 0;
      meets = Meets::finite;
    }
  };

  template <class CompactNode>
  bool add(CompactTree<CompactNode> const& compact, std::uint32_t tree) {
    if (compact.has_fallbacks()) return false;
    auto& descents = descents_of(compact.nodes());
    descents.root[descents.n] = compact.nodes();
    descents.words[descents.n] = compact.words();
    descents.meets = std::max(descents.meets, compact.meets(false));
    descents.tree[descents.n++] = tree;
    return true;
  }
  Descents<NarrowNode>& descents_of(NarrowNode const*) { return narrow_; }
  Descents<WideNode>& descents_of(WideNode const*) { return wide_; }
  Descents<SlantedNode>& descents_of(SlantedNode const*) { return slanted_; }
  Descents<PlacedNode>& descents_of(PlacedNode const*) { return placed_; }

  template <class CompactNode>
  void go_any(Descents<CompactNode> const& descents, T const* row, bool may_be_missing) {
    Meets const least = may_be_missing ? Meets::numbers : Meets::finite;
    with_meets(std::max(descents.meets, least), [&]<Meets meets>() { go<meets>(descents, row); });
  }

  // Like Descent::go, with trees in the place of rows.
  template <Meets meets, class CompactNode>
  void go(Descents<CompactNode> const& descents, T const* row) {
    std::array<CompactNode const*, most_trees> at = descents.root;
    std::array<std::uint32_t, most_trees> tree = descents.tree;
    std::array<std::uint32_t const*, most_trees> words;
    if constexpr (meets == Meets::categories) words = descents.words;
    for (std::size_t n = descents.n; n > 0;) {
      std::size_t n_left = 0;
      for (std::size_t i = 0; i < n; ++i) {
        CompactNode const* node = at[i];
        std::uint32_t const* const of_tree = meets == Meets::categories ? words[i] : nullptr;
        node += node->template ahead<meets>(row, of_tree);
        leaf_rows_[tree[i]] = node->mark();  // overwritten until it is_mark
        tree[n_left] = tree[i];
        if constexpr (meets == Meets::categories) words[n_left] = of_tree;
        at[n_left] = node + node->template ahead<meets>(row, of_tree);
        n_left += static_cast<std::size_t>(!node->is_mark());
      }
      n = n_left;
    }
  }

  // Trees that are not prepared, or have fallbacks.
  void descend_plain(T const* row) {
    for (std::uint32_t const t : std::span(plain_.data(), n_plain_)) leaf_rows_[t] = leaf_row_of(trees_[t], descend_any(trees_[t], row));
  }

  std::span<Tree const> trees_;
  Descents<NarrowNode> narrow_;
  Descents<WideNode> wide_;
  Descents<SlantedNode> slanted_;
  Descents<PlacedNode> placed_;
  std::array<std::uint32_t, most_trees> plain_;
  std::size_t n_plain_ = 0;
  std::array<std::uint32_t, most_trees> leaf_rows_;
};

}  // namespace rarewood
