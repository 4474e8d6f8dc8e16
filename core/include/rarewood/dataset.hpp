// The training table, prepared once and shared by every tree grown on it.
//
// Rows are regrouped by class: positions class_begin[j] .. class_begin[j+1] hold the rows of class j in their original order, so a label
// is never stored. Columns are stored one after the other in that order, each in one of three forms:
//   codes   nominal: the category number; numeric, for the exact splitter: the rank of the value among the column's distinct values
//   narrow  numeric, for splitters that draw cuts in value space: float32, when it holds every value of the column exactly
//   wide    the same in float64, otherwise
// Ranks keep order and equality of the float64 input exactly; the values behind them stay in the caller's matrix, which must outlive the dataset.
#pragma once

#include <cstddef>
#include <limits>
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

  std::size_t n_rows() const { return original_row_.size(); }
  std::size_t n_features() const { return input_.columns; }
  std::size_t n_classes() const { return class_begin_.size() - 1; }
  NumericStorage storage() const { return storage_; }
  MatrixView const& input() const { return input_; }

  bool is_nominal(std::size_t feature) const { return n_categories_[feature] > 0; }
  std::size_t n_categories(std::size_t feature) const { return n_categories_[feature]; }
  std::size_t most_categories() const;
  bool has_missing(std::size_t feature) const { return columns_[feature].has_missing; }

  // Exactly one of the three forms of a column is not empty (all are when there are no rows).
  std::span<Code const> codes(std::size_t feature) const { return columns_[feature].codes; }
  std::span<float const> narrow(std::size_t feature) const { return columns_[feature].narrow; }
  std::span<double const> wide(std::size_t feature) const { return columns_[feature].wide; }

  std::size_t class_begin(std::size_t cls) const { return class_begin_[cls]; }
  std::size_t class_end(std::size_t cls) const { return class_begin_[cls + 1]; }
  std::size_t original_row(Position position) const { return original_row_[position]; }
  // The cell as a number: a value, or the code of a category; NaN where missing. Needs NumericStorage::values.
  double cell(Position position, std::size_t feature) const {
    Column const& column = columns_[feature];
    if (!column.narrow.empty()) return static_cast<double>(column.narrow[position]);
    if (!column.wide.empty()) return column.wide[position];
    return column.codes[position] == missing_code ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(column.codes[position]);
  }
  double value(Position position, std::size_t feature) const { return input_.at(original_row_[position], feature); }

 private:
  Dataset() = default;

  struct Column {
    std::vector<Code> codes;
    std::vector<float> narrow;
    std::vector<double> wide;
    bool has_missing = false;
  };

  void group_by_class(std::span<std::int32_t const> labels);
  void store_nominal(std::size_t feature);
  void store_values(std::span<std::size_t const> features, Monitor& monitor);
  void store_values(std::size_t feature, std::size_t begin, std::size_t end);
  void copy_column(Column const& from, std::span<Position const> positions, std::size_t feature);
  void copy_rows(std::span<std::uint32_t const> features);

  MatrixView input_;
  NumericStorage storage_ = NumericStorage::ranks;
  std::vector<std::size_t> n_categories_;
  std::vector<std::size_t> class_begin_;  // n_classes + 1
  std::vector<Position> original_row_;
  std::vector<Column> columns_;
};

}  // namespace rarewood
