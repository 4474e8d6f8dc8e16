// HeDExh candidates: random lines in the plane of two attributes, each through two points drawn uniformly from the node's bounding box
// (Kang and Ramamohanarao). A nominal attribute takes part with its categories placed at 0, 1, ... in a random order, drawn anew for
// each candidate. Rows that miss one of the two attributes go to the side that scores better.
// Needs a dataset with NumericStorage::values.
#pragma once

#include <vector>

#include "rarewood/gather.hpp"
#include "rarewood/rng.hpp"
#include "rarewood/splitters/splitter.hpp"

namespace rarewood {

class HyperplaneSplitter {
 public:
  HyperplaneSplitter(Dataset const& data, std::size_t n_lines)
      : data_(data), n_lines_(n_lines), stride_(data.n_classes() + 1), place_of_(data.most_categories()) {}

  struct Result {
    BestCandidate best;
    Split split;              // filled when best.found
    bool constant_a = false;  // the attribute has one value at the node: nothing to split on here, nor below
    bool constant_b = false;
  };

  Result search(NodeRows const& node, std::uint32_t feature_a, std::uint32_t feature_b, double min_cases, Key key, Candidates& candidates);

  // Keeps the cells of the pair searched last: it is the best so far.
  void keep_cells();
  // Side of every row of the node under a split of the pair kept last: 0 left, 1 right. Empty when its cells do not tell (missing
  // values, categories). Valid until the next call.
  std::span<std::uint8_t const> sides_of(Split const& split);

 private:
  // One attribute at the node, for the rows that have both.
  struct Axis {
    std::uint32_t feature = 0;
    std::vector<double> cells;     // numbers, or category codes; only the first n_rows_ count
    std::vector<double> placed;    // nominal: the places of the categories
    std::vector<Code> categories;  // nominal: those present, in the order of their places
    double low = 0.0;              // range of the coordinates
    double high = 0.0;

    double const* coordinates() const { return categories.empty() ? cells.data() : placed.data(); }
  };
  struct Line {
    double weight_a = 0.0;
    double weight_b = 0.0;  // 1 or -1
    double offset = 0.0;
    bool usable = false;
    std::vector<Code> map_a;  // places of the categories when it was drawn
    std::vector<Code> map_b;
  };

  void gather(NodeRows const& node);
  static void gather_all(NodeRows const& node, Axis& axis);
  void gather_present(NodeRows const& node);
  void find_range(Axis& axis) const;
  // Known only when every row of the node has both attributes.
  bool is_constant(Axis const& axis) const { return axis.low == axis.high && missing_.back() == 0.0; }
  void shuffle_categories(Axis& axis, Rng& rng);
  void draw_line(Line& line, Rng& rng);
  void draw_lines(NodeRows const& node, Rng& rng);
  void count_left(NodeRows const& node, std::span<std::size_t const> lines);
  void count_left_weighted(NodeRows const& node, std::size_t number);
  bool is_usable(Line const& line, double n_left) const;
  void propose(Candidates& candidates);
  Split split_of(Line const& line, BestCandidate const& best) const;

  Dataset const& data_;
  std::size_t n_lines_;
  std::size_t stride_;  // n_classes counts and cases
  Axis a_, b_;
  Axis kept_a_, kept_b_;
  bool kept_whole_ = false;  // the kept cells are those of every row of the node, and numbers
  std::size_t kept_rows_ = 0;
  std::vector<std::uint8_t> sides_;
  std::size_t n_rows_ = 0;  // that have both attributes
  std::vector<double> weight_buffer_;
  std::span<double const> weights_;       // of these rows; empty: unit weights
  std::vector<std::size_t> class_begin_;  // offsets of the classes among them
  std::vector<double> missing_;           // class counts and cases of the others
  std::vector<Line> lines_;
  std::vector<std::size_t> to_draw_;
  std::vector<double> left_, with_missing_;  // left_: `stride_` per line
  std::vector<double> place_of_;             // per category
};

}  // namespace rarewood
