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

// One column of the points: numbers, or slots of categories, which count those present at the node.
struct PlacedAxis {
  double const* numbers = nullptr;
  std::uint32_t const* slots = nullptr;  // null: numbers

  PlacedAxis from(std::size_t begin) const { return slots == nullptr ? PlacedAxis{numbers + begin, {}} : PlacedAxis{{}, slots + begin}; }
};

class PlacedCounting {
 public:
  static constexpr std::size_t at_once = 4;  // lines; their terms make a vector

  // The numbers of a category, `at_once` per slot, and one slot more for categories that no row has.
  struct Terms {
    std::vector<double> of_slot;

    // Of one line of the group: categories stand in the order of their places. Those without a row have a slot of n_slots or more.
    void set(std::size_t line, double weight, std::span<Code const> in_order, std::uint32_t const* slot_of, std::size_t n_slots);
  };

  Terms a, b;  // of a column of categories

  void set(std::size_t line, Line const& which) {
    weight_a_[line] = which.weight_a;
    weight_b_[line] = which.weight_b;
    offset_[line] = which.offset;
  }

  // Of n points, those left of each line of the group.
  void count(PlacedAxis of_a, PlacedAxis of_b, std::size_t n, std::int64_t* counts) const;
  // Their weights, added up point by point.
  void add_weights(PlacedAxis of_a, PlacedAxis of_b, std::size_t n, double const* weights, double* sums) const;
  // 0 or 1 for each point: left or right of one line of the group.
  void find_sides(std::size_t line, PlacedAxis of_a, PlacedAxis of_b, std::size_t n, std::uint8_t* sides) const;

 private:
  double weight_a_[at_once] = {};
  double weight_b_[at_once] = {};
  double offset_[at_once] = {};
};

}  // namespace rarewood
