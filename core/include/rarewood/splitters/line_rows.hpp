// The asking half of random lines through two columns: rows here, no criterion; see `Drawing`.
#pragma once

#include <span>
#include <vector>

#include "rarewood/gather.hpp"
#include "rarewood/splitters/line_drawing.hpp"

namespace rarewood {

class LineRows {
 public:
  explicit LineRows(Dataset const& data) : data_(&data), stride_(data.n_classes() + 1), place_of_(data.most_categories()) {}

  Box const& ask(NodeRows const& node, std::uint32_t feature_a, std::uint32_t feature_b);
  Box const& box() const { return box_; }

  // Counts the rows asked last left of the lines that were drawn last; counts has room for all lines.
  void count(NodeRows const& node, LineDrawing const& drawing, LineCounts& counts);
  void make_room(std::size_t n_lines, LineCounts& counts) const {
    counts.left.resize(n_lines * stride_);
    counts.rows.resize(n_lines);
  }

  // Side of every row of the node asked last: 0 left, 1 right. Empty when the cells do not tell (missing values, categories).
  std::span<std::uint8_t const> sides_of(Line const& line);

 private:
  // Cells of one attribute for the rows that have both: numbers, or category codes. Only the first box_.n_rows count.
  using Cells = std::vector<double>;

  static void gather_all(NodeRows const& node, std::uint32_t feature, Cells& cells);
  void gather_present(NodeRows const& node, std::uint32_t feature_a, std::uint32_t feature_b);
  void find_side(std::uint32_t feature, Cells const& cells, Box::Side& side) const;

  void count_together(std::span<Line const> all, std::span<std::size_t const> lines, double const* a, double const* b,
                      LineCounts& counts) const;
  void count_weighted(NodeRows const& node, Line const& line, double const* a, double const* b, double* left, double& rows) const;
  // Coordinates of the cells under a line: the numbers themselves, or the places of the categories.
  double const* coordinates(Cells const& cells, std::vector<Code> const& map, Cells& placed);

  Dataset const* data_;
  std::size_t stride_;  // n_classes counts and cases
  Cells a_, b_;
  Cells placed_a_, placed_b_;
  Box box_;
  std::vector<double> weight_buffer_;
  std::span<double const> weights_;       // of the rows that have both; empty: unit weights
  std::vector<std::size_t> class_begin_;  // offsets of the classes among them
  std::vector<double> place_of_;          // per category
  std::vector<std::uint8_t> sides_;
};

}  // namespace rarewood
