// One side of a line through two columns: weight_a * a + weight_b * b <= offset goes left. Categories of a nominal column have places on
// its axis; one without a place goes to the heavier child. A row that misses one of the columns has a side, too.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "rarewood/dataset.hpp"
#include "rarewood/monotone.hpp"
#include "rarewood/node.hpp"

namespace rarewood {

struct Plane {
  static constexpr std::uint32_t number = 4;
  static constexpr char const* name = "hyperplane";

  // What a tree keeps of it, beside the node.
  struct Record {
    std::uint32_t feature_a;
    std::uint32_t feature_b;
    double weight_a;
    double weight_b;
    double offset;
    std::uint32_t map_a;  // nominal column: its list, codes and then as many places; otherwise no_map
    std::uint32_t map_b;
    std::uint32_t unseen_left;  // 1: a category without a place goes left

    static constexpr char const* pool = "n_planes";
    template <class Visit>
    static void for_each_field(Visit visit) {
      visit(&Record::feature_a, "plane_feature_a");
      visit(&Record::feature_b, "plane_feature_b");
      visit(&Record::weight_a, "plane_weight_a");
      visit(&Record::weight_b, "plane_weight_b");
      visit(&Record::offset, "plane_offset");
      visit(&Record::map_a, "plane_map_a");
      visit(&Record::map_b, "plane_map_b");
      visit(&Record::unseen_left, "plane_unseen_left");
    }
  };
  static constexpr std::uint32_t no_map = std::numeric_limits<std::uint32_t>::max();

  // Categories of a nominal column, ascending, and the place of each; empty for a column of numbers.
  struct Places {
    std::vector<Code> codes;
    std::vector<Code> places;
  };

  std::uint32_t feature_a;
  std::uint32_t feature_b;
  double weight_a;
  double weight_b;
  double offset;
  Places map_a;
  Places map_b;
  bool missing_left;
  bool unseen_left;

  template <class Pools>
  static Plane read(Pools const& pools, Node const& node) {
    Record const& r = record(pools, node);
    return {
        r.feature_a,         r.feature_b,       r.weight_a, r.weight_b, r.offset, read_places(pools, r.map_a), read_places(pools, r.map_b),
        node.missing_left(), r.unseen_left != 0};
  }
  template <class Writer>
  Node write(Writer& to) const {
    std::uint32_t const at_a = write_places(to, map_a);
    std::uint32_t const at_b = write_places(to, map_b);
    Record const stored{feature_a, feature_b, weight_a, weight_b, offset, at_a, at_b, unseen_left ? 1U : 0U};
    return {number, feature_a, missing_left, static_cast<double>(to.template add_record<Plane>(stored))};
  }
  template <class Visit>
  void describe(Visit visit) const {
    visit("feature_a", feature_a);
    visit("feature_b", feature_b);
    visit("weight_a", weight_a);
    visit("weight_b", weight_b);
    visit("offset", offset);
  }

  Ways ways(Signs signs) const { return Ways::along(weight_a, signs[feature_a]) & Ways::along(weight_b, signs[feature_b]); }

  // Those that must be known before the test is decided.
  template <class Pools>
  static std::array<std::uint32_t, 2> columns(Pools const& pools, Node const& node) {
    Record const& plane = record(pools, node);
    return {plane.feature_a, plane.feature_b};
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
    Record const& plane = record(pools, node);
    bool seen = true;
    double const a = coordinate(pools, static_cast<double>(row[plane.feature_a]), plane.map_a, seen);
    double const b = coordinate(pools, static_cast<double>(row[plane.feature_b]), plane.map_b, seen);
    if (std::isnan(a) || std::isnan(b)) return node.missing_left() ? 0 : 1;
    if (!seen) return plane.unseen_left != 0 ? 0 : 1;
    return plane.weight_a * a + plane.weight_b * b <= plane.offset ? 0 : 1;
  }

  template <class Pools, class Require>
  static void check(Pools const& pools, Node const& node, Require require) {
    require(node.has_pool_index(pools.template records_of<Plane>().size()), "its hyperplane is missing");
  }
  template <class Pools, class Require>
  static void check_record(Pools const& pools, Record const& r, Require require) {
    auto const is_map = [&](std::uint32_t map) {
      if (map == no_map) return true;
      if (map >= pools.category_lists.size()) return false;
      CategoryList const& list = pools.category_lists[map];
      return list.size <= pools.category_pool.size() - list.begin - list.size;
    };
    bool const features = r.feature_a < pools.n_features && r.feature_b < pools.n_features;
    require(features && is_map(r.map_a) && is_map(r.map_b), "a hyperplane names an unknown feature or map");
    require(std::isfinite(r.offset), "a line has an offset that is no number");  // NaN is how compact trees mark their leaves
  }
  template <class Pools, class Columns>
  static void check_columns(Pools const&, Node const&, Columns&) {}  // of its record, below
  template <class Columns>
  static void check_record_columns(Record const& r, Columns& columns) {
    columns.require(std::isfinite(r.weight_a) && std::isfinite(r.weight_b), "a line has a weight that is no number");
    for (auto const& [feature, map] : {std::pair(r.feature_a, r.map_a), std::pair(r.feature_b, r.map_b)}) {
      columns.require((map != no_map) == columns.is_nominal(feature), "a line treats a column as what it is not");
      if (map != no_map) columns.use_list(map, feature, 2);
    }
  }

  struct Split {
    std::uint32_t feature_a;
    std::uint32_t feature_b;
    double weight_a;
    double weight_b;
    double offset;
    std::vector<Code> map_a;  // nominal column: its categories in the order of their places
    std::vector<Code> map_b;
    std::optional<bool> missing_left;     // nothing: the node had no missing values to learn from
    std::span<std::uint8_t const> sides;  // 0 or 1 for each row of the node, when already known

    template <class Rows>
    Plane divide(Rows& rows) const {
      if (sides.empty()) {
        divide_cells(rows);
      } else {
        rows.split_in_two([known = sides.data()](Position, std::size_t i) -> std::size_t { return known[i]; });
      }
      bool const left_is_heavier = rows.heaviest_child() == 0;
      return {feature_a,      feature_b, weight_a, weight_b, offset, places(map_a), places(map_b), missing_left.value_or(left_is_heavier),
              left_is_heavier};
    }

   private:
    template <class Rows>
    void divide_cells(Rows& rows) const {
      Dataset const& table = rows.table();
      std::vector<double> const places_a = place_of(map_a);
      std::vector<double> const places_b = place_of(map_b);
      // Only for rows that have both columns: the categories of the others may have no place.
      auto const placed = [](double cell, std::vector<double> const& places) {
        return places.empty() ? cell : places[static_cast<std::size_t>(cell)];
      };
      std::size_t const missing = missing_left.value_or(false) ? 0 : 1;
      rows.split_in_two([&](Position p, std::size_t) -> std::size_t {
        double const a = table.cell(p, feature_a);
        double const b = table.cell(p, feature_b);
        if (a != a || b != b) return missing;
        return weight_a * placed(a, places_a) + weight_b * placed(b, places_b) <= offset ? 0 : 1;
      });
    }

    static std::vector<double> place_of(std::vector<Code> const& in_order) {
      std::vector<double> places(in_order.empty() ? 0 : *std::max_element(in_order.begin(), in_order.end()) + std::size_t{1});
      for (std::size_t place = 0; place < in_order.size(); ++place) places[in_order[place]] = static_cast<double>(place);
      return places;
    }

    static Places places(std::vector<Code> const& in_order) {
      std::vector<std::pair<Code, Code>> placed;
      for (std::size_t place = 0; place < in_order.size(); ++place) placed.emplace_back(in_order[place], static_cast<Code>(place));
      std::sort(placed.begin(), placed.end());
      Places result;
      for (auto const& [code, place] : placed) {
        result.codes.push_back(code);
        result.places.push_back(place);
      }
      return result;
    }
  };

 private:
  template <class Pools>
  static Record const& record(Pools const& pools, Node const& node) {
    return pools.template records_of<Plane>()[node.pool_index()];
  }

  template <class Pools>
  static Places read_places(Pools const& pools, std::uint32_t map) {
    if (map == no_map) return {};
    auto const codes = pools.codes(map);
    auto const places = pools.behind_codes(map);
    return {{codes.begin(), codes.end()}, {places.begin(), places.end()}};
  }
  template <class Writer>
  static std::uint32_t write_places(Writer& to, Places const& map) {
    return map.codes.empty() ? no_map : to.add_list(map.codes, map.places);
  }

  // The number itself, or the place of its category. `seen` turns false for a category without one.
  template <class Pools>
  static double coordinate(Pools const& pools, double cell, std::uint32_t map, bool& seen) {
    if (map == no_map || std::isnan(cell)) return cell;
    auto const codes = pools.codes(map);
    auto const found = std::lower_bound(codes.begin(), codes.end(), static_cast<Code>(cell));
    if (found == codes.end() || *found != static_cast<Code>(cell)) {
      seen = false;
      return 0.0;
    }
    return static_cast<double>(pools.behind_codes(map)[static_cast<std::size_t>(found - codes.begin())]);
  }
};

}  // namespace rarewood
