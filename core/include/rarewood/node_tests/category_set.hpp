// The categories of a set go left, every other one right, which is the heavier child. Missing values have a side.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "rarewood/dataset.hpp"
#include "rarewood/node.hpp"

namespace rarewood {

struct CategorySet {
  static constexpr std::uint32_t number = 2;
  static constexpr char const* name = "subset";

  std::uint32_t feature;
  std::vector<Code> codes;  // ascending
  bool missing_left;

  template <class Pools>
  static CategorySet read(Pools const& pools, Node const& node) {
    auto const codes = pools.codes(node.pool_index());
    return {node.feature(), {codes.begin(), codes.end()}, node.missing_left()};
  }
  template <class Writer>
  Node write(Writer& to) const {
    return {number, feature, missing_left, static_cast<double>(to.add_list(codes))};
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
  static std::uint32_t n_children(Pools const&, Node const&) {
    return 2;
  }
  template <class Pools>
  static std::uint32_t missing_child(Pools const&, Node const& node) {
    return node.missing_left() ? 0 : 1;
  }
  template <class Pools, class T>
  static std::uint32_t child(Pools const& pools, Node const& node, T const* row) {
    double const cell = static_cast<double>(row[node.feature()]);
    if (std::isnan(cell)) return node.missing_left() ? 0 : 1;
    auto const left = pools.codes(node.pool_index());
    return std::binary_search(left.begin(), left.end(), static_cast<Code>(cell)) ? 0 : 1;
  }

  template <class Pools, class Require>
  static void check(Pools const& pools, Node const& node, Require require) {
    require(node.has_pool_index(pools.category_lists.size()), "its categories are missing");
  }
  template <class Pools, class Columns>
  static void check_columns(Pools const&, Node const& node, Columns& columns) {
    columns.require(columns.is_nominal(node.feature()), "a column of numbers is split by categories");
    columns.use_list(node.pool_index(), node.feature(), 1);
  }

  struct Split {
    std::uint32_t feature;
    std::vector<Code> codes;  // that go left, ascending
    bool missing_left;

    template <class Rows>
    CategorySet divide(Rows& rows) const {
      Code const* const column = rows.table().codes(feature).data();
      std::size_t const missing = missing_left ? 0 : 1;
      std::vector<std::uint32_t>& is_left = rows.marks();
      for (Code code : codes) is_left[code] = 1;
      rows.split_in_two([&](Position p, std::size_t) { return column[p] == missing_code ? missing : 1U - is_left[column[p]]; });
      for (Code code : codes) is_left[code] = 0;
      return {feature, codes, missing_left};
    }
  };
};

}  // namespace rarewood
