// How many points lie left of each of a few lines, where categories of a column have other places for each line. The terms of a line are
// looked up by category: as many multiplications as there are categories, not rows, and the lines of a group share the look-up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rarewood/types.hpp"
#include "search/splitters/line_counting.hpp"

namespace rarewood {

// One column of the points: numbers or categories.
struct PlacedAxis {
  double const* numbers = nullptr;
  Code const* codes = nullptr;  // null: numbers

  PlacedAxis from(std::size_t begin) const { return codes == nullptr ? PlacedAxis{numbers + begin, {}} : PlacedAxis{{}, codes + begin}; }
};

class PlacedCounting {
 public:
  static constexpr std::size_t at_once = 8;  // lines at most

  // What the lines make of a category, `at_once` numbers each: room for all that lines may place has to be made before.
  struct Terms {
    std::vector<double> of_category;

    // Of one line of the group: categories stand in the order of their places.
    void set(std::size_t line, double weight, std::span<Code const> in_order);
  };

  Terms a, b;  // of a column of categories

  void set(std::size_t line, Line const& which) {
    weight_a_[line] = which.weight_a;
    weight_b_[line] = which.weight_b;
    offset_[line] = which.offset;
  }

  // Of n points, those left of each of the first lines of the group.
  void count(std::size_t n_lines, PlacedAxis of_a, PlacedAxis of_b, std::size_t n, double* counts) const;
  // Their weights, added up point by point.
  void add_weights(std::size_t n_lines, PlacedAxis of_a, PlacedAxis of_b, std::size_t n, double const* weights, double* sums) const;
  // 0 or 1 for each point: left or right of one line of the group.
  void find_sides(std::size_t line, PlacedAxis of_a, PlacedAxis of_b, std::size_t n, std::uint8_t* sides) const;

 private:
  double weight_a_[at_once] = {};
  double weight_b_[at_once] = {};
  double offset_[at_once] = {};
};

}  // namespace rarewood
