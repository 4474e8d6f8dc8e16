// The training table, prepared once and shared by every tree grown on it.
//
// Rows are regrouped by class, inside a class in the caller's order, so a label is never stored. Columns are stored one after the other in
// that order, each in one of three forms:
//   codes   nominal: the category number; numeric, for the exact splitter: the rank of the value among the column's distinct values
//   narrow  numeric, for splitters that draw cuts in value space: float32, when it holds every value of the column exactly
//   wide    the same in float64, otherwise
// Ranks keep order and equality of the float64 input exactly; the values behind them stay in the caller's matrix, which must outlive the dataset.
// A regrouped dataset shares the columns of the one it was made from and has only its own list of positions per class.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "rarewood/matrix_view.hpp"
#include "rarewood/monitor.hpp"
#include "rarewood/types.hpp"

namespace rarewood {

// How numeric columns are stored.
enum class NumericStorage { ranks, values };

class Dataset {
 public:
  // n_categories[f] = 0 for a numeric column. Throws std::invalid_argument when sizes, labels or codes are out of range.
  Dataset(MatrixView input, std::span<std::int32_t const> n_categories, std::span<std::int32_t const> labels, std::size_t n_classes,
          NumericStorage storage, unsigned n_threads, Monitor& monitor);

  // The rows at `positions` (grouped by class at the given offsets) as a dataset of their own, so that the search below a small node
  // stays in the cache. Only the columns of `features` are filled.
  Dataset subset(std::span<Position const> positions, std::span<std::size_t const> class_begin,
                 std::span<std::uint32_t const> features) const;

  // The same table for another problem: class j counts as class group_of[j]; the rows of a class of group -1 are left out. Inside a group
  // the rows come in the caller's order, so that trees are bit for bit those of a table prepared with the new labels.
  Dataset regrouped(std::span<std::int32_t const> group_of) const;

  std::size_t n_rows() const { return original_row_->size(); }  // of the table, those left out included
  std::size_t n_features() const { return input_.columns; }
  std::size_t n_classes() const { return class_begin_.size() - 1; }
  NumericStorage storage() const { return storage_; }
  MatrixView const& input() const { return input_; }

  bool is_nominal(std::size_t feature) const { return n_categories_[feature] > 0; }
  std::size_t n_categories(std::size_t feature) const { return n_categories_[feature]; }
  std::size_t most_categories() const;
  bool has_missing(std::size_t feature) const { return column(feature).has_missing; }

  // Exactly one of the three forms of a column is not empty (all are when there are no rows).
  std::span<Code const> codes(std::size_t feature) const { return column(feature).codes; }
  std::span<float const> narrow(std::size_t feature) const { return column(feature).narrow; }
  std::span<double const> wide(std::size_t feature) const { return column(feature).wide; }

  // The rows of class j are at position(i) for class_begin(j) <= i < class_end(j), in the caller's order.
  std::size_t class_begin(std::size_t cls) const { return class_begin_[cls]; }
  std::size_t class_end(std::size_t cls) const { return class_begin_[cls + 1]; }
  Position position(std::size_t i) const { return regrouped_.empty() ? static_cast<Position>(i) : regrouped_[i]; }
  std::size_t original_row(Position position) const { return (*original_row_)[position]; }
  // The cell as a number: a value, or the code of a category; NaN where missing. Needs NumericStorage::values.
  double cell(Position position, std::size_t feature) const {
    Column const& cells = column(feature);
    if (!cells.narrow.empty()) return static_cast<double>(cells.narrow[position]);
    if (!cells.wide.empty()) return cells.wide[position];
    return cells.codes[position] == missing_code ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(cells.codes[position]);
  }
  double value(Position position, std::size_t feature) const { return input_.at(original_row(position), feature); }

 private:
  Dataset() = default;

  struct Column {
    std::vector<Code> codes;
    std::vector<float> narrow;
    std::vector<double> wide;
    bool has_missing = false;
  };

  Column const& column(std::size_t feature) const { return (*columns_)[feature]; }

  std::vector<Position> group_by_class(std::span<std::int32_t const> labels);
  void store_nominal(std::size_t feature, Column& column) const;
  void store_values(std::span<std::size_t const> features, std::vector<Column>& columns, Monitor& monitor) const;
  void store_values(std::size_t feature, std::size_t begin, std::size_t end, Column& column) const;
  void copy_rows(std::span<std::uint32_t const> features, std::span<Position const> rows, std::vector<Column>& columns) const;

  MatrixView input_;
  NumericStorage storage_ = NumericStorage::ranks;
  std::vector<std::size_t> n_categories_;
  std::vector<std::size_t> class_begin_;  // n_classes + 1
  std::vector<Position> regrouped_;       // positions by class; empty: 0, 1, ...
  std::shared_ptr<std::vector<Position> const> original_row_;
  std::shared_ptr<std::vector<Column> const> columns_;
};

}  // namespace rarewood
