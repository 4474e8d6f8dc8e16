// A number up to a threshold goes left, a larger one right. Missing values have a side.
#pragma once

#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <variant>

#include "rarewood/dataset.hpp"
#include "rarewood/monotone.hpp"
#include "rarewood/node.hpp"

namespace rarewood {

struct Threshold {
  static constexpr std::uint32_t number = 1;
  static constexpr char const* name = "numeric";

  std::uint32_t feature;
  double threshold;  // infinite: only missing values go right
  bool missing_left;

  template <class Pools>
  static Threshold read(Pools const&, Node const& node) {
    return {node.feature(), node.threshold, node.missing_left()};
  }
  template <class Writer>
  Node write(Writer&) const {
    return {number, feature, missing_left, threshold};
  }
  template <class Visit>
  void describe(Visit visit) const {
    visit("threshold", threshold);
  }

  // An infinite one divides no numbers.
  Ways ways(Signs signs) const { return std::isinf(threshold) ? Ways{} : Ways::along(1.0, signs[feature]); }

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
  static std::uint32_t child(Pools const&, Node const& node, T const* row) {
    double const cell = static_cast<double>(row[node.feature()]);
    bool const right = cell != cell ? !node.missing_left() : cell > node.threshold;
    return right ? 1 : 0;
  }

  template <class Pools, class Require>
  static void check(Pools const&, Node const& node, Require require) {
    require(!std::isnan(node.threshold), "its threshold is not a number");
  }
  template <class Pools, class Columns>
  static void check_columns(Pools const&, Node const& node, Columns& columns) {
    columns.require(!columns.is_nominal(node.feature()), "a column of categories is split by a number");
  }

  // A cut of training rows, by rank or by value.
  struct ByRank {
    Code cut;
  };
  struct ByValue {
    double cut;
    std::span<float const> cells;  // those it divides, row by row of the node, when they are still at hand and none is missing
  };
  struct Split {
    std::uint32_t feature;
    std::variant<ByRank, ByValue> cut;
    std::optional<bool> missing_left;  // nothing: the node had no missing values to learn from

    template <class Rows>
    Threshold divide(Rows& rows) const {
      std::size_t const missing = missing_left.value_or(false) ? 0 : 1;
      double at = 0.0;
      if (ByRank const* by_rank = std::get_if<ByRank>(&cut)) {
        at = divide_ranks(rows, by_rank->cut, missing);
      } else {
        at = std::get<ByValue>(cut).cut;
        divide_values(rows, std::get<ByValue>(cut), missing);
      }
      return {feature, at, missing_left ? *missing_left : rows.heaviest_child() == 0};
    }

   private:
    // The values next to a cut: the threshold lies between them.
    struct Boundary {
      Code largest_left = 0;
      Code smallest_right = missing_code;
      Position left_row = 0;
      Position right_row = 0;
      bool any_left = false;
      bool any_right = false;
    };

    template <class Rows>
    double divide_ranks(Rows& rows, Code limit, std::size_t missing) const {
      Code const* const column = rows.table().codes(feature).data();
      Boundary boundary;
      rows.split_in_two([=, &boundary](Position p, std::size_t) -> std::size_t {
        Code const code = column[p];
        if (code == missing_code) return missing;
        if (code <= limit) {
          if (!boundary.any_left || code > boundary.largest_left) {
            boundary.largest_left = code;
            boundary.left_row = p;
            boundary.any_left = true;
          }
          return 0;
        }
        if (code < boundary.smallest_right) {
          boundary.smallest_right = code;
          boundary.right_row = p;
          boundary.any_right = true;
        }
        return 1;
      });
      return between(rows.table(), boundary);
    }

    double between(Dataset const& table, Boundary const& boundary) const {
      if (!boundary.any_right) return INFINITY;  // everything present goes left
      double const low = table.value(boundary.left_row, feature);
      double const high = table.value(boundary.right_row, feature);
      double const middle = low + (high - low) / 2.0;
      return low <= middle && middle < high ? middle : low;  // also when high - low overflows
    }

    template <class Rows>
    void divide_values(Rows& rows, ByValue const& by, std::size_t missing) const {
      auto const by_column = [&](auto const* column, auto limit) {
        rows.split_in_two([=](Position p, std::size_t) -> std::size_t {
          return column[p] != column[p] ? missing : column[p] <= limit ? 0 : 1;
        });
      };
      if (!by.cells.empty()) {
        rows.split_in_two([cells = by.cells.data(), limit = static_cast<float>(by.cut)](Position, std::size_t i) -> std::size_t {
          return cells[i] <= limit ? 0 : 1;
        });
      } else if (rows.table().narrow(feature).empty()) {
        by_column(rows.table().wide(feature).data(), by.cut);
      } else {
        by_column(rows.table().narrow(feature).data(), static_cast<float>(by.cut));  // the cut was drawn as a float32
      }
    }
  };
};

}  // namespace rarewood
