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
  // Each worker takes a range of columns, so that it needs one coder.
  std::size_t const n_workers = std::clamp<std::size_t>(n_threads, 1, std::max<std::size_t>(1, input.columns));
  parallel_for(n_workers, n_threads, [&](std::size_t worker) {
    RankCoder coder(storage == NumericStorage::ranks ? input.rows : 0);
    std::vector<std::size_t> by_value;
    for (std::size_t f = n_features() * worker / n_workers; f < n_features() * (worker + 1) / n_workers; ++f) {
      monitor.poll();
      if (is_nominal(f)) {
        store_nominal(f);
      } else if (storage == NumericStorage::values) {
        by_value.push_back(f);
      } else {
        columns_[f].codes.resize(n_rows());
        columns_[f].has_missing = coder.code(input_, f, original_row_, columns_[f].codes);
      }
    }
    store_values(by_value, monitor);
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
  std::vector<std::uint32_t> narrow;
  for (std::uint32_t f : features) {
    part.columns_[f].has_missing = columns_[f].has_missing;
    if (!columns_[f].narrow.empty() && input_.is_row_major<float>()) {
      narrow.push_back(f);
    } else {
      part.copy_column(columns_[f], positions, f);
    }
  }
  part.copy_rows(narrow);
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
}

// From the caller's rows: scattered rows cost two or three cache lines each there, and one per cell in the columns.
void Dataset::copy_rows(std::span<std::uint32_t const> features) {
  constexpr std::size_t block = 64;  // rows that stay in the first-level cache until all their cells are read
  auto const* const input = reinterpret_cast<float const*>(input_.data);
  std::ptrdiff_t const stride = input_.row_stride / static_cast<std::ptrdiff_t>(sizeof(float));
  for (std::uint32_t f : features) columns_[f].narrow.resize(n_rows());
  for (std::size_t begin = 0; begin < n_rows(); begin += block) {
    std::size_t const end = std::min(begin + block, n_rows());
    for (std::uint32_t f : features) {
      float* const to = columns_[f].narrow.data();
      for (std::size_t i = begin; i < end; ++i) to[i] = input[static_cast<std::ptrdiff_t>(original_row_[i]) * stride + static_cast<std::ptrdiff_t>(f)];
    }
  }
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

// Block of rows by block of rows: a table that lies row by row passes through the cache once, not once per column.
void Dataset::store_values(std::span<std::size_t const> features, Monitor& monitor) {
  constexpr std::size_t block = 256;
  for (std::size_t f : features) columns_[f].narrow.resize(n_rows());
  for (std::size_t begin = 0; begin < n_rows(); begin += block) {
    if (begin % (256 * block) == 0) monitor.poll();
    for (std::size_t f : features) store_values(f, begin, std::min(begin + block, n_rows()));
  }
}

// Rows [begin, end) of one column; turns it into float64 when a value does not fit float32.
void Dataset::store_values(std::size_t feature, std::size_t begin, std::size_t end) {
  Column& column = columns_[feature];
  for (std::size_t p = begin; p < end; ++p) {
    double const value = input_.at(original_row_[p], feature);
    bool const missing = value != value;
    column.has_missing = column.has_missing || missing;
    if (column.narrow.empty()) {
      column.wide[p] = value;
      continue;
    }
    column.narrow[p] = static_cast<float>(value);
    if (missing || static_cast<double>(column.narrow[p]) == value) continue;
    column.wide.resize(n_rows());
    std::copy_n(column.narrow.begin(), p, column.wide.begin());
    column.wide[p] = value;
    column.narrow = {};
  }
}

}  // namespace rarewood
