// The asking half of random lines through two columns: rows here, no criterion; see `Drawing`.
#pragma once

#include <span>
#include <vector>

#include "search/node_cells.hpp"
#include "search/splitters/line_drawing.hpp"
#include "search/splitters/placed_counting.hpp"

namespace rarewood {

class LineRows {
 public:
  // may_pair: false to count rows one by one.
  explicit LineRows(Dataset const& data, bool may_pair = true) : data_(&data), n_classes_(data.n_classes()), may_pair_(may_pair) {}

  Box const& ask(NodeRows const& node, std::uint32_t feature_a, std::uint32_t feature_b);
  Box const& box() const { return box_; }

  // Counts the rows asked last left of some lines; counts has room for all.
  void count(NodeRows const& node, LinesToCount const& asked, LineCounts& counts);
  void count(NodeRows const& node, LineDrawing const& drawing, LineCounts& counts) { count(node, drawing.asked(), counts); }

  // Side of every row of the node asked last: 0 left, 1 right; rows that miss a column take `of_missing`.
  std::span<std::uint8_t const> sides_of(LinesToCount const& asked, std::size_t number, std::uint8_t of_missing);

 private:
  // One column for the points: the rows that have both columns, or pairs of categories that some of these have. Only one of the three counts.
  struct Axis {
    bool is_placed(Box::Side const& side) const { return !side.categories.empty(); }
    PlacedAxis placed(Box::Side const& side) const {
      return is_placed(side) ? PlacedAxis{nullptr, codes.data()} : PlacedAxis{wide.data(), nullptr};
    }

    std::vector<float> narrow;
    std::vector<double> wide;
    std::vector<Code> codes;
    std::vector<std::uint8_t> is_seen;  // per category: zero between uses
  };

  static void make_room_for(std::size_t n_categories, Axis& axis, PlacedCounting::Terms& terms);
  // Where no row misses a column.
  void gather_all(NodeRows const& node, std::uint32_t feature_a, std::uint32_t feature_b);
  // Cells [begin, begin + size) of those of the node, and what they make of the ends of the side.
  void gather_block(NodeRows const& node, std::uint32_t feature, std::size_t begin, std::size_t size, Axis& axis, Box::Side& side) const;
  // Leaves rows out that miss a column. A and B: what the columns hold; ToA and ToB: what becomes of it.
  void gather_any(NodeRows const& node, std::uint32_t feature_a, std::uint32_t feature_b);
  template <class A, class B, class ToA, class ToB>
  void gather_present(NodeRows const& node, A const* column_a, B const* column_b, std::vector<ToA>& a, std::vector<ToB>& b);
  void keep_weights(NodeRows const& node, std::size_t cls);
  void find_side(std::uint32_t feature, Axis& axis, Box::Side& side) const;
  void find_categories(std::size_t n_categories, Axis& axis, std::vector<Code>& categories) const;

  // Whether a table of all pairs of categories is small beside the rows, so that counting pairs first pays.
  bool are_worth_pairing(NodeRows const& node, std::uint32_t feature_a, std::uint32_t feature_b) const;
  void pair_up(NodeRows const& node, std::uint32_t feature_a, std::uint32_t feature_b);
  void list_pairs();
  // Of the line placed last as the first of its group.
  std::span<std::uint8_t const> sides_of_pairs(std::uint8_t of_missing);

  bool are_placed() const { return a_.is_placed(box_.a) || b_.is_placed(box_.b); }
  // Of the lines `numbers`, which counting_ holds.
  template <class T>
  void count_added(std::span<std::size_t const> numbers, T const* a, T const* b, LineCounts& counts);
  void count_weighted(NodeRows const& node, std::size_t number, Line const& line, double const* a, double const* b,
                      LineCounts& counts) const;
  void place(LinesToCount const& asked, std::size_t number, std::size_t line);
  void count_placed(NodeRows const& node, LinesToCount const& asked, LineCounts& counts);

  Dataset const* data_;
  std::size_t n_classes_;
  bool may_pair_;
  std::size_t n_asked_ = 0;  // rows of the node
  bool are_narrow_ = false;  // numbers as floats, where both columns have them and all rows weigh 1
  bool are_paired_ = false;  // points are pairs of categories, and weigh as many rows as have them
  Axis a_, b_;
  Box box_;
  std::vector<double> weight_buffer_;
  std::span<double const> weights_;       // of the points; empty: unit weights
  std::vector<std::size_t> class_begin_;  // offsets of the classes among them
  // Of pairs: (categories of a + 1) x (categories of b + 1) cells, the last of either for missing values.
  std::size_t n_a_ = 0, n_b_ = 0;
  std::vector<std::uint32_t> cells_;      // per row of the node
  std::vector<std::uint32_t> pair_rows_;  // rows per class and cell
  std::vector<std::uint8_t> cell_sides_;
  std::vector<std::uint8_t> is_present_;  // per row of the node, where a column has missing values: 1 if it has both
  LineCounting counting_;
  PlacedCounting placed_;
  std::vector<std::int32_t> n_left_;
  std::vector<std::uint8_t> sides_, all_sides_;
};

}  // namespace rarewood
