// A child for each category seen in training, and one for missing values where there were some. A category nobody knows stays at the node,
// which therefore keeps counts of its own.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "rarewood/dataset.hpp"
#include "rarewood/node.hpp"

namespace rarewood {

struct Branches {
  static constexpr std::uint32_t number = 3;
  static constexpr char const* name = "multiway";

  std::uint32_t feature;
  std::vector<Code> codes;      // of the children in order, ascending
  std::uint32_t missing_takes;  // the child of missing values
  std::vector<double> counts;   // of the node: classes and cases

  template <class Pools>
  static Branches read(Pools const& pools, Node const& node) {
    auto const codes = pools.codes(node.pool_index());
    CategoryList const& list = pools.category_lists[node.pool_index()];
    double const* const row = pools.leaf_row(list.leaf_row);
    return {node.feature(), {codes.begin(), codes.end()}, list.missing_child, {row, row + pools.leaf_stride()}};
  }
  template <class Writer>
  Node write(Writer& to) const {
    return {number, feature, false, static_cast<double>(to.add_list(codes, {}, missing_takes, to.add_row(counts)))};
  }
  template <class Visit>
  void describe(Visit visit) const {
    visit("codes", codes);
  }

  // Those that must be known before the test is decided.
  template <class Pools>
  static std::array<std::uint32_t, 1> columns(Pools const&, Node const& node) {
    return {node.feature()};
  }
  template <class Pools>
  static std::uint32_t n_children(Pools const& pools, Node const& node) {
    CategoryList const& list = pools.category_lists[node.pool_index()];
    return std::max(list.size, list.missing_child + 1);
  }
  template <class Pools>
  static std::uint32_t missing_child(Pools const& pools, Node const& node) {
    return pools.category_lists[node.pool_index()].missing_child;
  }
  template <class Pools, class T>
  static std::uint32_t child(Pools const& pools, Node const& node, T const* row) {
    double const cell = static_cast<double>(row[node.feature()]);
    if (std::isnan(cell)) return missing_child(pools, node);
    auto const codes = pools.codes(node.pool_index());
    auto const found = std::lower_bound(codes.begin(), codes.end(), static_cast<Code>(cell));
    bool const known = found != codes.end() && *found == static_cast<Code>(cell);
    return known ? static_cast<std::uint32_t>(found - codes.begin()) : stays;
  }
  // Row of the leaf table for a row that stays.
  template <class Pools>
  static std::uint32_t own_row(Pools const& pools, Node const& node) {
    return pools.category_lists[node.pool_index()].leaf_row;
  }

  template <class Pools, class Require>
  static void check(Pools const& pools, Node const& node, Require require) {
    require(node.has_pool_index(pools.category_lists.size()), "its categories are missing");
    CategoryList const& list = pools.category_lists[node.pool_index()];
    require(list.size > 0 && list.missing_child <= list.size && list.leaf_row < pools.n_leaf_rows(), "its branches are damaged");
  }
  template <class Pools, class Columns>
  static void check_columns(Pools const&, Node const& node, Columns& columns) {
    columns.require(columns.is_nominal(node.feature()), "a column of numbers is split by categories");
    columns.use_list(node.pool_index(), node.feature(), 1);
  }

  struct Split {
    std::uint32_t feature;
    std::vector<Code> codes;  // of the children, ascending
    bool missing_seen;        // and so missing values have a child, the last

    template <class Rows>
    Branches divide(Rows& rows) const {
      std::size_t const n_codes = codes.size();
      Code const* const column = rows.table().codes(feature).data();
      std::vector<std::uint32_t>& child_of = rows.marks();
      for (std::size_t c = 0; c < n_codes; ++c) child_of[codes[c]] = static_cast<std::uint32_t>(c);
      rows.split_in_many(n_codes + (missing_seen ? 1 : 0),
                         [&](Position p) -> std::size_t { return column[p] == missing_code ? n_codes : child_of[column[p]]; });
      for (Code code : codes) child_of[code] = 0;
      std::size_t const missing = missing_seen ? n_codes : rows.heaviest_child();
      std::span<double const> const leaf = rows.leaf_counts();
      return {feature, codes, static_cast<std::uint32_t>(missing), {leaf.begin(), leaf.end()}};
    }
  };
};

}  // namespace rarewood
