// The asking half of random lines through two columns: rows here, no criterion; see `Drawing`.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "search/node_cells.hpp"
#include "search/splitters/line_drawing.hpp"
#include "search/splitters/placed_counting.hpp"

namespace rarewood {

class LineRows {
 public:
  explicit LineRows(Dataset const& data) : data_(&data), n_classes_(data.n_classes()), a_(data), b_(data) {}

  Box const& ask(NodeRows const& node, std::uint32_t feature_a, std::uint32_t feature_b);
  Box const& box() const { return box_; }

  // Counts the rows asked last left of some lines; counts has room for all.
  void count(NodeRows const& node, LinesToCount const& asked, LineCounts& counts);
  void count(NodeRows const& node, LineDrawing const& drawing, LineCounts& counts) { count(node, drawing.asked(), counts); }

  // Side of every row of the node asked last: 0 left, 1 right; rows that miss a column take `of_missing`.
  std::span<std::uint8_t const> sides_of(LinesToCount const& asked, std::size_t number, std::uint8_t of_missing);

 private:
  static constexpr std::uint32_t no_slot = std::numeric_limits<std::uint32_t>::max();

  // One column for the rows that have both: only the first box_.n_rows count, of one of the three.
  struct Axis {
    explicit Axis(Dataset const& data) : slot_of(data.most_categories(), no_slot) {}

    // The categories of the node before.
    void forget(Box::Side& side) {
      for (Code const code : side.categories) slot_of[code] = no_slot;
      side.categories.clear();
    }
    bool is_placed(Box::Side const& side) const { return !side.categories.empty(); }
    PlacedAxis placed(Box::Side const& side) const {
      return is_placed(side) ? PlacedAxis{nullptr, slots.data()} : PlacedAxis{wide.data(), nullptr};
    }

    std::vector<float> narrow;
    std::vector<double> wide;
    std::vector<std::uint32_t> slots;    // of categories; at first their codes
    std::vector<std::uint32_t> slot_of;  // per category; no_slot for those not present
  };

  void gather_narrow(NodeRows const& node, std::span<float const> column_a, std::span<float const> column_b);
  // Leaves rows out that miss a column. A and B: what the columns hold; ToA and ToB: what becomes of it.
  void gather_any(NodeRows const& node, std::uint32_t feature_a, std::uint32_t feature_b);
  template <class A, class B, class ToA, class ToB>
  void gather_present(NodeRows const& node, A const* column_a, B const* column_b, std::vector<ToA>& a, std::vector<ToB>& b);
  void find_side(std::uint32_t feature, Axis& axis, Box::Side& side) const;
  void find_categories(std::size_t n_categories, Axis& axis, std::vector<Code>& categories) const;

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
  std::size_t n_asked_ = 0;  // rows of the node
  bool are_narrow_ = false;  // numbers as floats, where both columns have them and all rows weigh 1
  Axis a_, b_;
  Box box_;
  std::vector<double> weight_buffer_;
  std::span<double const> weights_;       // of the rows that have both; empty: unit weights
  std::vector<std::size_t> class_begin_;  // offsets of the classes among them
  std::vector<std::uint8_t> is_present_;  // per row of the node, where a column has missing values: 1 if it has both
  LineCounting counting_;
  PlacedCounting placed_;
  std::vector<std::int32_t> n_left_;
  std::vector<std::uint8_t> sides_, all_sides_;
};

}  // namespace rarewood
