// One row at a time down many trees, side by side: what a few rows need.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "prepared_tree.hpp"
#include "walk.hpp"

namespace rarewood {

template <class T>
class FewRows {
 public:
  static constexpr std::size_t most_trees = 128;

  // The trees that n_rows rows will walk down.
  void take(std::span<Tree const> trees, std::size_t n_rows) {
    trees_ = trees;
    narrow_.n = wide_.n = slanted_.n = n_plain_ = 0;
    for (std::size_t t = 0; t < trees.size(); ++t) {
      PreparedTree<T> const* const ready = prepared<T>(trees[t], n_rows);
      auto const tree = static_cast<std::uint32_t>(t);
      if (ready == nullptr || !ready->visit([&](auto const& stairs) { return add(stairs, tree); })) plain_[n_plain_++] = tree;
    }
  }

  // The row of the leaf table in which a row ends, per tree.
  std::uint32_t const* walk(T const* row, bool may_be_missing) {
    if (may_be_missing) {
      go_all<true>(row);
    } else {
      go_all<false>(row);
    }
    walk_plain(row);
    return leaf_rows_.data();
  }

 private:
  template <class Step>
  struct Walks {
    std::array<Step const*, most_trees> root;
    std::array<std::uint32_t, most_trees> tree;
    std::size_t n = 0;
  };

  template <class Step>
  bool add(Stairs<Step> const& stairs, std::uint32_t tree) {
    if (stairs.has_stops()) return false;
    auto& walks = walks_of(stairs.steps());
    walks.root[walks.n] = stairs.steps();
    walks.tree[walks.n++] = tree;
    return true;
  }
  Walks<NarrowStep>& walks_of(NarrowStep const*) { return narrow_; }
  Walks<WideStep>& walks_of(WideStep const*) { return wide_; }
  Walks<SlantedStep>& walks_of(SlantedStep const*) { return slanted_; }

  template <bool MayBeMissing>
  void go_all(T const* row) {
    if constexpr (std::is_same_v<T, float>) go<MayBeMissing>(narrow_, row);
    go<MayBeMissing>(wide_, row);
    go<MayBeMissing>(slanted_, row);
  }

  // Like Descent::go, with trees in the place of rows.
  template <bool MayBeMissing, class Step>
  void go(Walks<Step> const& walks, T const* row) {
    std::array<Step const*, most_trees> at = walks.root;
    std::array<std::uint32_t, most_trees> tree = walks.tree;
    for (std::size_t n = walks.n; n > 0;) {
      std::size_t n_left = 0;
      for (std::size_t i = 0; i < n; ++i) {
        Step const* step = at[i];
        step += step->template ahead<MayBeMissing>(row);
        leaf_rows_[tree[i]] = step->why();  // overwritten until it halts
        tree[n_left] = tree[i];
        at[n_left] = step + step->template ahead<MayBeMissing>(row);
        n_left += static_cast<std::size_t>(!step->halts());
      }
      n = n_left;
    }
  }

  // Trees that have no stairs, or stairs with stops: eight at a time where they only have thresholds.
  void walk_plain(T const* row) {
    for (std::size_t i = 0; i < n_plain_; i += side_by_side) {
      std::span<std::uint32_t const> const group(plain_.data() + i, std::min(side_by_side, n_plain_ - i));
      std::array<Tree const*, side_by_side> trees;
      for (std::size_t w = 0; w < group.size(); ++w) trees[w] = &trees_[group[w]];
      std::array<std::uint32_t, side_by_side> nodes;
      walk_trees(std::span(trees.data(), group.size()), row, nodes.data());
      for (std::size_t w = 0; w < group.size(); ++w) leaf_rows_[group[w]] = trees[w]->row_of(trees[w]->nodes[nodes[w]]);
    }
  }

  std::span<Tree const> trees_;
  Walks<NarrowStep> narrow_;
  Walks<WideStep> wide_;
  Walks<SlantedStep> slanted_;
  std::array<std::uint32_t, most_trees> plain_;
  std::size_t n_plain_ = 0;
  std::array<std::uint32_t, most_trees> leaf_rows_;
};

}  // namespace rarewood
