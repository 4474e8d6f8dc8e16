// The training table, shared by every tree grown on it.
//
// Rows are grouped by class, inside a class in the caller's order, so a label is never stored. Columns are stored one after the other in
// that order, each in the forms that plans ask for, made once and kept:
//   categories  nominal: the category number
//   ranks       numeric, for the exact splitter: the rank of the value among the column's distinct values
//   values      numeric, for splitters that draw cuts in value space: float32 when it holds every value of the column exactly, or float64
// Ranks keep order and equality of the float64 input exactly; the values behind them stay in the caller's matrix, which must outlive the dataset.
// A table may instead be filled column by column, chunk by chunk: then there is no matrix behind it, and its values are its columns.
// A relabelled dataset shares the columns of the one it was made from and has only its own list of positions per class.
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "rarewood/cells.hpp"
#include "rarewood/matrix_view.hpp"
#include "rarewood/monitor.hpp"
#include "rarewood/types.hpp"

namespace rarewood {

class RankCoder;

// Forms of numeric columns. The codes of categories are read by every splitter.
struct Forms {
  bool ranks = false;
  bool values = false;

  friend Forms operator|(Forms a, Forms b) { return {a.ranks || b.ranks, a.values || b.values}; }
  Forms without(Forms other) const { return {ranks && !other.ranks, values && !other.values}; }
  bool any() const { return ranks || values; }
};

class Dataset {
 public:
  // n_categories[f] = 0 for a numeric column. Throws std::invalid_argument when sizes or labels are out of range.
  Dataset(MatrixView input, std::span<std::int32_t const> n_categories, std::span<std::int32_t const> labels, std::size_t n_classes);

  // A table to be filled: `labels` of the rows; wide[f]: the column is kept as float64 even where float32 would hold it, because other
  // parts of the same table do not fit. Numbers are in the form `values` from the start.
  static Dataset to_fill(std::span<std::int32_t const> n_categories, std::span<std::uint8_t const> wide,
                         std::span<std::int32_t const> labels, std::size_t n_classes);
  // Cells of a column from row `first` of the caller's on: numbers, or codes of categories; NaN is missing.
  template <class T>
  void fill(std::size_t feature, std::size_t first, std::span<T const> cells);
  // No more columns come: frees what filling them needs.
  void end_filling() { position_of_row_ = std::vector<Position>(); }
  // One cell of a table to be filled.
  void set(std::size_t feature, Position position, double value);

  // A filled table as bytes, and a table that looks into such bytes, which must outlive it: nothing is copied but the order of the rows.
  // For files of this process. Throws std::invalid_argument where the bytes are not those of such a table.
  std::vector<std::uint8_t> packed() const;
  static Dataset unpacked(std::span<std::int32_t const> n_categories, std::size_t n_classes, std::span<std::uint8_t const> bytes);

  // Makes the forms that are not there yet, for this dataset and those relabelled from it. To be called before any cell is read; several
  // threads may call it, and others may read the forms they have asked for meanwhile. Throws std::invalid_argument for a category code
  // out of range. When it throws, it can be called again.
  void prepare(Forms wanted, unsigned n_threads, Monitor& monitor) const;
  // Frees the forms; `prepare` makes them again. Datasets relabelled from this one keep theirs, and so does a table that was filled, which
  // has its values nowhere else. Nobody may read this dataset meanwhile.
  void release();

  // The rows at `positions` (grouped by class at the given offsets) as a dataset of their own, so that the search below a small node
  // stays in the cache. Only the columns of `features` are filled, and of them only the forms that will be read.
  Dataset subset(std::span<Position const> positions, std::span<std::size_t const> class_begin, std::span<std::uint32_t const> features,
                 Forms forms) const;

  bool has(Forms forms) const;
  // The rows at `positions` (as in `subset`) as a dataset of their own with ranks of their own: for a tree that sees few rows of a table
  // whose ranks nobody has made. Order and equality of the ranks are those of the values, so the tree is the same.
  Dataset ranked(std::span<Position const> positions, std::span<std::size_t const> class_begin) const;

  // The same table for another problem: class j counts as class class_map[j]; the rows of a class of -1 are left out. Inside a class
  // the rows come in the caller's order, so that trees are bit for bit those of a table prepared with the new labels.
  Dataset relabelled(std::span<std::int32_t const> class_map) const;
  // The same table for a branch of a tree that only some classes reach: their numbers among those of the whole problem. Nothing is copied;
  // which rows are whose, the branch knows itself.
  Dataset with_classes(std::vector<std::uint32_t> numbers) const;

  std::size_t n_rows() const { return original_row_->size(); }  // of the table, those left out included
  std::size_t n_features() const { return input_.columns; }
  std::size_t n_classes() const { return class_begin_.size() - 1; }
  // Of class j among those of the whole problem, whose branch this may be.
  std::size_t class_number(std::size_t j) const { return class_numbers_.empty() ? j : class_numbers_[j]; }
  MatrixView const& input() const { return input_; }

  bool is_nominal(std::size_t feature) const { return n_categories_[feature] > 0; }
  std::size_t n_categories(std::size_t feature) const { return n_categories_[feature]; }
  std::size_t most_categories() const;
  bool has_missing(std::size_t feature) const { return column(feature).has_missing; }  // of a column that was prepared
  // `has_missing` for every column: looked up, or looked for where a column was not prepared.
  std::vector<std::uint8_t> missing_columns(Monitor& monitor) const;

  // Categories or ranks; of the other two, values are in the one that is not empty.
  std::span<Code const> codes(std::size_t feature) const { return column(feature).codes; }
  std::span<float const> narrow(std::size_t feature) const { return column(feature).narrow; }
  std::span<double const> wide(std::size_t feature) const { return column(feature).wide; }

  // Of a column of numbers in the form values: whether they are float64.
  bool is_wide(std::size_t feature) const { return column(feature).is_wide; }

  // The rows of class j are at position(i) for class_begin(j) <= i < class_end(j), in the caller's order.
  std::span<std::size_t const> class_begins() const { return class_begin_; }  // n_classes + 1
  std::size_t class_begin(std::size_t cls) const { return class_begin_[cls]; }
  std::size_t class_end(std::size_t cls) const { return class_begin_[cls + 1]; }
  Position position(std::size_t i) const { return relabelled_.empty() ? static_cast<Position>(i) : relabelled_[i]; }
  std::size_t original_row(Position position) const { return (*original_row_)[position]; }
  // The cell as a number: a value, or the code of a category; NaN where missing. Needs the form values.
  double cell(Position position, std::size_t feature) const {
    Column const& cells = column(feature);
    if (!cells.narrow.empty()) return static_cast<double>(cells.narrow[position]);
    if (!cells.wide.empty()) return cells.wide[position];
    return cells.codes[position] == missing_code ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(cells.codes[position]);
  }
  double value(Position position, std::size_t feature) const {
    return is_filled() ? cell(position, feature) : input_.at(original_row(position), feature);
  }

 private:
  Dataset() = default;
  bool is_filled() const { return input_.data == nullptr && input_.column_stride == 0; }

  struct Column {
    Cells<Code> codes;
    Cells<float> narrow;
    Cells<double> wide;
    bool has_missing = false;
    bool is_wide = false;
  };

  // What datasets of the same table share. Readers look at `columns` only after a `prepare` of their own, so what they read stays as it is.
  struct Store {
    std::vector<Column> columns;
    std::mutex guard;  // of all below, and of columns in the making
    Forms made{};
    bool has_categories = false;
  };

  // The rows at `positions` without any column.
  Dataset rows_only(std::span<Position const> positions, std::span<std::size_t const> class_begin) const;
  Column const& column(std::size_t feature) const { return store_->columns[feature]; }

  std::vector<Position> group_by_class(std::span<std::int32_t const> labels);
  std::unique_lock<std::mutex> lock_store(Monitor& monitor) const;
  // All of `features`, row by row: a table that lies so is read once.
  void look_for_missing(std::span<std::size_t const> features, std::vector<std::uint8_t>& missing, Monitor& monitor) const;
  std::vector<Column> make_columns(Forms forms, bool categories, unsigned n_threads, Monitor& monitor) const;
  bool is_missing_known(std::size_t feature) const;
  void store_nominal(std::size_t feature, std::shared_ptr<Arena> const& arena, Column& column) const;
  void store_values(std::span<std::size_t const> features, std::shared_ptr<Arena> const& arena, std::vector<Column>& columns,
                    Monitor& monitor) const;
  void store_values(std::size_t feature, std::size_t begin, std::size_t end, std::shared_ptr<Arena> const& arena, Column& column) const;
  void rank_values(std::size_t feature, RankCoder& coder, std::shared_ptr<Arena> const& arena, Column& column) const;
  void copy_rows(std::span<std::uint32_t const> features, std::span<Position const> rows, std::vector<Column>& columns) const;

  MatrixView input_;
  std::vector<std::size_t> n_categories_;
  std::vector<std::size_t> class_begin_;      // n_classes + 1
  std::vector<std::uint32_t> class_numbers_;  // of a branch; empty: 0, 1, ...
  std::vector<Position> relabelled_;          // positions by class; empty: 0, 1, ...
  std::shared_ptr<std::vector<Position> const> original_row_;
  std::shared_ptr<Store> store_;
  std::vector<Position> position_of_row_;  // of a table to be filled
};

}  // namespace rarewood
