// The rows of a small branch: so few that a byte names one and that their cells stay in the first-level cache until the whole
// branch is grown. All of them weigh 1, all columns are numbers without missing ones. Grouped by class, as everywhere.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/column_set.hpp"
#include "growth/class_weighting.hpp"
#include "samples/sample.hpp"
#include "search/count_cuts.hpp"
#include "search/node_cells.hpp"

namespace rarewood {

class SmallBranchRows {
 public:
  static constexpr std::size_t most = 256;

  // The rows of a node of the branch.
  struct Span {
    std::uint32_t begin;
    std::uint32_t size;
  };
  // class_weights: one per class, or empty.
  SmallBranchRows(Dataset const& data, std::span<double const> class_weights);

  // Whether columns of the table can be held here.
  static bool can_hold(Dataset const& data);

  // Lets go of what it held and takes the rows of a node, with their cells in the columns of `features`.
  Span take(NodeRows const& node, ColumnSet const& features);

  void enter(Span rows);
  // Of the node entered last: class counts and cases; the classes that are present; counts as leaves store them.
  Counts totals() const { return totals_; }
  std::span<ClassSection const> sections() const { return {sections_.data(), n_sections_}; }
  Counts leaf_counts() { return class_weighting_.leaf_counts(totals_); }
  std::size_t size() const { return span_.size; }
  // Copies the cells of its rows in a column, row by row; returns the smallest and the largest. T: the type the column is stored in.
  template <class T>
  std::pair<T, T> gather(std::uint32_t feature, T* cells) const {
    gather_cells(cells_of<T>() + feature * stride_, node_rows(), span_.size, cells);
    T low = cells[0];
    T high = low;
    widen_to(cells, span_.size, low, high);
    return {low, high};
  }

  // Divides the node entered last (see TreeRows, for node tests); children() are then the spans of its two.
  template <class ChildOf>
  void split_in_two(ChildOf child_of) {
    std::array<std::uint8_t, most> right;
    std::uint8_t* const rows = rows_.data() + span_.begin;
    std::uint32_t n_left = 0;
    std::uint32_t n_right = 0;
    for (std::size_t i = 0; i < span_.size; ++i) {
      std::uint8_t const row = rows[i];
      auto const is_right = static_cast<std::uint32_t>(child_of(positions_[row], i));
      rows[n_left] = row;
      right[n_right] = row;
      n_left += 1 - is_right;
      n_right += is_right;
    }
    std::copy_n(right.data(), n_right, rows + n_left);
    children_ = {Span{span_.begin, n_left}, Span{span_.begin + n_left, n_right}};
  }
  std::array<Span, 2> const& children() const { return children_; }
  std::size_t heaviest_child() const;
  Dataset const& table() const { return *table_; }

 private:
  template <class T>
  T const* cells_of() const;
  std::uint8_t const* node_rows() const { return rows_.data() + span_.begin; }
  void copy_cells(NodeRows const& node, std::span<std::uint32_t const> features);
  double weight_of(Span rows) const;

  Dataset const& data_;
  ClassWeighting class_weighting_;
  Dataset const* table_;                  // what positions refer to
  std::size_t stride_ = 0;                // between columns
  std::vector<float> narrow_;             // column by column
  std::vector<double> wide_;              // the same, of columns that are not narrow
  std::array<std::uint8_t, most> rows_;   // node by node
  std::array<Position, most> positions_;  // of each row
  std::array<std::uint32_t, most> cls_;   // of each row
  std::vector<std::uint32_t> features_;
  Span span_{0, 0};  // of the node
  std::vector<double> totals_;
  std::array<ClassSection, most> sections_;
  std::size_t n_sections_ = 0;
  std::array<Span, 2> children_{};
};

template <>
inline float const* SmallBranchRows::cells_of<float>() const {
  return narrow_.data();
}
template <>
inline double const* SmallBranchRows::cells_of<double>() const {
  return wide_.data();
}

}  // namespace rarewood
