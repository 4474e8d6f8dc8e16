// The asking half of random lines through two columns: rows here, no criterion; see `Drawing`.
#pragma once

#include <span>
#include <vector>

#include "search/node_cells.hpp"
#include "search/splitters/line_drawing.hpp"

namespace rarewood {

class LineRows {
 public:
  explicit LineRows(Dataset const& data) : data_(&data), n_classes_(data.n_classes()), place_of_(data.most_categories()) {}

  Box const& ask(NodeRows const& node, std::uint32_t feature_a, std::uint32_t feature_b);
  Box const& box() const { return box_; }

  // Counts the rows asked last left of some lines; counts has room for all.
  void count(NodeRows const& node, LinesToCount const& asked, LineCounts& counts);
  void count(NodeRows const& node, LineDrawing const& drawing, LineCounts& counts) { count(node, drawing.asked(), counts); }

  // Side of every row of the node asked last: 0 left, 1 right. Empty when the cells do not tell (missing values, categories).
  std::span<std::uint8_t const> sides_of(Line const& line);

 private:
  // Of one column for the rows that have both: numbers, or category codes. Only the first box_.n_rows count, of one of the two.
  struct Cells {
    std::vector<float> narrow;
    std::vector<double> wide;
  };

  void gather_narrow(NodeRows const& node, std::span<float const> column_a, std::span<float const> column_b);
  void gather_all(NodeRows const& node, std::uint32_t feature, std::vector<double>& cells) const;
  void gather_present(NodeRows const& node, std::uint32_t feature_a, std::uint32_t feature_b);
  void find_side(std::uint32_t feature, std::vector<double> const& cells, Box::Side& side) const;

  // Of the lines `numbers`, which counting_ holds.
  template <class T>
  void count_added(std::span<std::size_t const> numbers, T const* a, T const* b, LineCounts& counts);
  void count_weighted(NodeRows const& node, std::size_t number, Line const& line, double const* a, double const* b,
                      LineCounts& counts) const;
  // Coordinates of the cells under a line: the numbers themselves, or the places of the categories.
  double const* coordinates(std::vector<double> const& cells, std::span<Code const> order, std::vector<double>& placed);

  Dataset const* data_;
  std::size_t n_classes_;
  bool are_narrow_ = false;  // which cells are filled: floats, where both columns have them, no row misses one and all weigh 1
  Cells a_, b_;
  std::vector<double> placed_a_, placed_b_;
  Box box_;
  std::vector<double> weight_buffer_;
  std::span<double const> weights_;       // of the rows that have both; empty: unit weights
  std::vector<std::size_t> class_begin_;  // offsets of the classes among them
  std::vector<double> place_of_;          // per category
  LineCounting counting_;
  std::vector<std::int32_t> n_left_;
  std::vector<std::uint8_t> sides_;
};

}  // namespace rarewood
