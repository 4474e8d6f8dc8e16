// A fitted tree: flat arrays, no algorithm. Everything prediction needs and no more; what a person may ask for (counts of inner nodes,
// depth, number of cases) is derived on request.
//
// Invariants: node 0 is the root; the children of a node are adjacent and come after it; every index stays inside its pool
// (`check` verifies all of this for trees that come from outside).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rarewood/lazy_cache.hpp"
#include "rarewood/node_test.hpp"
#include "rarewood/types.hpp"

namespace rarewood {

struct Tree {
  std::size_t n_features = 0;
  std::size_t n_classes = 0;
  std::vector<Node> nodes;
  std::vector<CategoryList> category_lists;
  std::vector<Code> category_pool;
  RecordPools records;
  std::vector<double> leaf_table;     // rows of n_classes weighted counts and the number of cases; equal leaves share a row
  std::vector<double> importances;    // sum over splits of node weight x improvement, per feature
  LazyCache for_floats, for_doubles;  // made by predict for rows of these types

  std::size_t leaf_stride() const { return n_classes + 1; }
  std::size_t n_leaf_rows() const { return leaf_table.size() / leaf_stride(); }
  double const* leaf_row(std::size_t row) const { return leaf_table.data() + row * leaf_stride(); }

  std::uint32_t n_children(Node const& node) const {
    return visit_kind(node, 0U, [&]<class Kind>(std::type_identity<Kind>) { return Kind::n_children(*this, node); });
  }
  // Which row of the leaf table tells about rows that stop at the node.
  std::uint32_t row_of(Node const& node) const {
    return visit_kind(node, node.first_child, [&]<class Kind>(std::type_identity<Kind>) {
      if constexpr (requires { Kind::own_row(*this, node); }) return Kind::own_row(*this, node);
      return node.first_child;
    });
  }
  // The codes of a category list, and what stands behind them.
  std::span<Code const> codes(std::size_t list) const {
    return {category_pool.data() + category_lists[list].begin, category_lists[list].size};
  }
  std::span<Code const> behind_codes(std::size_t list) const {
    return {category_pool.data() + category_lists[list].begin + category_lists[list].size, category_lists[list].size};
  }

  template <HasRecord Kind>
  std::vector<typename Kind::Record>& records_of() {
    return std::get<std::vector<typename Kind::Record>>(records);
  }
  template <HasRecord Kind>
  std::vector<typename Kind::Record> const& records_of() const {
    return std::get<std::vector<typename Kind::Record>>(records);
  }

  // Memory it holds.
  std::size_t bytes() const;
  void shrink_to_fit();

  // Throws std::invalid_argument unless every invariant holds; a tree that passes can be descended without further checks.
  void check() const;
  // Throws likewise for what a tree cannot know of itself: that splits fit the columns of a table, which have so many categories each (0: numbers).
  // Call after `check`.
  void check_columns(std::span<std::int32_t const> n_categories) const;
};

// Per node, n_classes weighted counts and the number of cases: inner nodes are sums of their leaves.
std::vector<double> node_table(Tree const& tree);

// Per node, its distance from the root.
std::vector<std::uint32_t> node_depths(Tree const& tree);

}  // namespace rarewood
