// HeDExh candidates: random lines in the plane of two attributes (see line_drawing.hpp). Rows that miss one of the two attributes go to
// the side that scores better.
// Reads the values of numeric columns (Forms).
#pragma once

#include <vector>

#include "rarewood/gather.hpp"
#include "rarewood/splitters/line_drawing.hpp"

namespace rarewood {

class HyperplaneSplitter {
 public:
  HyperplaneSplitter(Dataset const& data, std::size_t n_lines)
      : data_(data), n_lines_(n_lines), stride_(data.n_classes() + 1), place_of_(data.most_categories()) {}

  FeatureResult search(NodeRows const& node, Request const& request, Candidates& candidates);
  void keep();
  // Of the pair kept last.
  Split split_of(NodeRows const& node, Request const& request, BestCandidate const& best);

 private:
  // Cells of one attribute for the rows that have both: numbers, or category codes. Only the first box_.n_rows count.
  using Cells = std::vector<double>;

  // Asks the rows for the box they fill.
  void ask(NodeRows const& node, Request const& request);
  static void gather_all(NodeRows const& node, std::uint32_t feature, Cells& cells);
  void gather_present(NodeRows const& node, Request const& request);
  void find_side(std::uint32_t feature, Cells const& cells, Box::Side& side) const;

  void count_left(NodeRows const& node, LineCounts& counts);
  void count_together(std::span<std::size_t const> lines, double const* a, double const* b, LineCounts& counts) const;
  void count_weighted(NodeRows const& node, std::size_t number, double const* a, double const* b, LineCounts& counts) const;
  // Coordinates of the cells under a line: the numbers themselves, or the places of the categories.
  double const* coordinates(Cells const& cells, std::vector<Code> const& map, Cells& placed);
  std::span<std::uint8_t const> sides_of(Line const& line);

  Dataset const& data_;
  std::size_t n_lines_;
  std::size_t stride_;  // n_classes counts and cases
  Cells a_, b_;
  Cells placed_a_, placed_b_;
  Box box_;
  std::vector<double> weight_buffer_;
  std::span<double const> weights_;       // of the rows that have both; empty: unit weights
  std::vector<std::size_t> class_begin_;  // offsets of the classes among them
  LineDrawing drawing_;
  LineCounts counts_;
  // Of the best pair so far.
  LineDrawing kept_drawing_;
  Cells kept_a_, kept_b_;
  bool kept_whole_ = false;  // the kept cells are those of every row of the node, and numbers
  std::size_t kept_rows_ = 0;
  std::vector<std::uint8_t> sides_;
  std::vector<double> place_of_;  // per category
};

static_assert(NodeSplitter<HyperplaneSplitter>);

}  // namespace rarewood
