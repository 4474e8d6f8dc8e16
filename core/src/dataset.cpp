#include "rarewood/dataset.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "parallel.hpp"
#include "rank_coding.hpp"

namespace rarewood {

Dataset::Dataset(MatrixView input, std::span<std::int32_t const> n_categories, std::span<std::int32_t const> labels, std::size_t n_classes,
                 NumericStorage storage, unsigned n_threads, Monitor& monitor)
    : input_(input), storage_(storage) {
  if (labels.size() != input.rows)
    throw std::invalid_argument("the table has " + std::to_string(input.rows) + " rows but there are " + std::to_string(labels.size()) +
                                " labels");
  if (n_categories.size() != input.columns) throw std::invalid_argument("n_categories must have one entry per column");
  if (input.rows > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
    throw std::invalid_argument("at most 2**31 - 1 rows are supported");
  if (n_classes == 0) throw std::invalid_argument("there must be at least one class");
  for (std::int32_t n : n_categories) {
    if (n < 0) throw std::invalid_argument("n_categories must not be negative");
    n_categories_.push_back(static_cast<std::size_t>(n));
  }
  class_begin_.assign(n_classes + 1, 0);
  group_by_class(labels);

  columns_.resize(input.columns);
  // Each worker takes every n-th column, so that it needs one coder.
  std::size_t const n_workers = std::clamp<std::size_t>(n_threads, 1, std::max<std::size_t>(1, input.columns));
  parallel_for(n_workers, n_threads, [&](std::size_t worker) {
    RankCoder coder(storage == NumericStorage::ranks ? input.rows : 0);
    for (std::size_t f = worker; f < n_features(); f += n_workers) {
      monitor.poll();
      if (is_nominal(f)) {
        store_nominal(f);
      } else if (storage == NumericStorage::values) {
        store_values(f);
      } else {
        columns_[f].codes.resize(n_rows());
        columns_[f].has_missing = coder.code(input_, f, original_row_, columns_[f].codes);
      }
    }
  });
}

Dataset Dataset::subset(std::span<Position const> positions, std::span<std::size_t const> class_begin,
                        std::span<std::uint32_t const> features) const {
  Dataset part;
  part.input_ = input_;
  part.storage_ = storage_;
  part.n_categories_ = n_categories_;
  part.class_begin_.assign(class_begin.begin(), class_begin.end());
  part.original_row_.reserve(positions.size());
  for (Position p : positions) part.original_row_.push_back(original_row_[p]);
  part.columns_.resize(n_features());
  for (std::uint32_t f : features) part.copy_column(columns_[f], positions, f);
  return part;
}

void Dataset::copy_column(Column const& from, std::span<Position const> positions, std::size_t feature) {
  auto const copy = [&](auto const& cells, auto& to) {
    if (cells.empty()) return;
    to.resize(positions.size());
    for (std::size_t i = 0; i < positions.size(); ++i) to[i] = cells[positions[i]];
  };
  copy(from.codes, columns_[feature].codes);
  copy(from.narrow, columns_[feature].narrow);
  copy(from.wide, columns_[feature].wide);
  columns_[feature].has_missing = from.has_missing;
}

std::size_t Dataset::most_categories() const {
  return n_categories_.empty() ? 0 : *std::max_element(n_categories_.begin(), n_categories_.end());
}

void Dataset::group_by_class(std::span<std::int32_t const> labels) {
  for (std::int32_t label : labels) {
    if (label < 0 || static_cast<std::size_t>(label) >= n_classes())
      throw std::invalid_argument("label out of range: " + std::to_string(label));
    ++class_begin_[static_cast<std::size_t>(label) + 1];
  }
  for (std::size_t j = 1; j < class_begin_.size(); ++j) class_begin_[j] += class_begin_[j - 1];
  std::vector<std::size_t> next(class_begin_.begin(), class_begin_.end() - 1);
  original_row_.resize(labels.size());
  for (std::size_t row = 0; row < labels.size(); ++row)
    original_row_[next[static_cast<std::size_t>(labels[row])]++] = static_cast<Position>(row);
}

void Dataset::store_nominal(std::size_t feature) {
  Column& column = columns_[feature];
  column.codes.resize(n_rows());
  for (std::size_t p = 0; p < n_rows(); ++p) {
    double const value = input_.at(original_row_[p], feature);
    if (value != value) {
      column.codes[p] = missing_code;
      column.has_missing = true;
    } else if (value >= 0.0 && value < static_cast<double>(n_categories_[feature])) {
      column.codes[p] = static_cast<Code>(value);
    } else {
      throw std::invalid_argument("column " + std::to_string(feature) + ": category code out of range: " + std::to_string(value));
    }
  }
}

void Dataset::store_values(std::size_t feature) {
  Column& column = columns_[feature];
  column.narrow.resize(n_rows());
  for (std::size_t p = 0; p < n_rows(); ++p) {
    double const value = input_.at(original_row_[p], feature);
    column.narrow[p] = static_cast<float>(value);
    bool const missing = value != value;
    column.has_missing = column.has_missing || missing;
    if (missing || static_cast<double>(column.narrow[p]) == value) continue;
    column.narrow = {};  // not every value is a float32: start again in float64
    column.wide.resize(n_rows());
    for (std::size_t q = 0; q < n_rows(); ++q) {
      column.wide[q] = input_.at(original_row_[q], feature);
      column.has_missing = column.has_missing || column.wide[q] != column.wide[q];
    }
    return;
  }
}

}  // namespace rarewood
