#include "rarewood/dataset.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/parallel.hpp"
#include "table/rank_coding.hpp"

namespace rarewood {

Dataset::Dataset(MatrixView input, std::span<std::int32_t const> n_categories, std::span<std::int32_t const> labels, std::size_t n_classes)
    : input_(input), store_(std::make_shared<Store>()) {
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
  original_row_ = std::make_shared<std::vector<Position> const>(group_by_class(labels));

  store_->columns.resize(input.columns);
}

Dataset Dataset::to_fill(std::span<std::int32_t const> n_categories, std::span<std::uint8_t const> wide,
                         std::span<std::int32_t const> labels, std::size_t n_classes) {
  if (wide.size() != n_categories.size()) throw std::invalid_argument("wide must have one entry per column");
  Dataset table(MatrixView{nullptr, false, labels.size(), n_categories.size(), 0, 0}, n_categories, labels, n_classes);
  table.position_of_row_.resize(labels.size());
  for (std::size_t p = 0; p < labels.size(); ++p) table.position_of_row_[(*table.original_row_)[p]] = static_cast<Position>(p);
  for (std::size_t f = 0; f < table.n_features(); ++f) {
    Column& column = table.store_->columns[f];
    if (table.is_nominal(f)) {
      column.codes.make_alone(labels.size());
      std::ranges::fill(column.codes.writable(), Code{0});
    } else if (wide[f] != 0) {
      column.wide.make_alone(labels.size());
      std::ranges::fill(column.wide.writable(), 0.0);
      column.is_wide = true;
    } else {
      column.narrow.make_alone(labels.size());
      std::ranges::fill(column.narrow.writable(), 0.0F);
    }
  }
  table.store_->made = Forms{.ranks = false, .values = true};
  table.store_->has_categories = true;
  return table;
}

template <class T>
void Dataset::fill(std::size_t feature, std::size_t first, std::span<T const> cells) {
  if (position_of_row_.size() != n_rows() || feature >= n_features() || first > n_rows() || cells.size() > n_rows() - first)
    throw std::invalid_argument("the table has no room for " + std::to_string(cells.size()) + " cells of column " +
                                std::to_string(feature) + " from row " + std::to_string(first) + " on");
  for (std::size_t i = 0; i < cells.size(); ++i) set(feature, position_of_row_[first + i], static_cast<double>(cells[i]));
}

void Dataset::set(std::size_t feature, Position position, double value) {
  Column& column = store_->columns[feature];
  bool const missing = value != value;
  column.has_missing = column.has_missing || missing;
  if (is_nominal(feature)) {
    if (!missing && !(value >= 0.0 && value < static_cast<double>(n_categories_[feature])))
      throw std::invalid_argument("column " + std::to_string(feature) + ": category code out of range: " + std::to_string(value));
    column.codes.writable()[position] = missing ? missing_code : static_cast<Code>(value);
    return;
  }
  if (column.is_wide) {
    column.wide.writable()[position] = value;
    return;
  }
  column.narrow.writable()[position] = static_cast<float>(value);
  if (missing || static_cast<double>(column.narrow[position]) == value) return;
  column.wide.make_alone(n_rows());
  std::copy(column.narrow.begin(), column.narrow.end(), column.wide.writable().begin());
  column.wide.writable()[position] = value;
  column.narrow = Cells<float>();
  column.is_wide = true;
}

template void Dataset::fill(std::size_t feature, std::size_t first, std::span<float const> cells);
template void Dataset::fill(std::size_t feature, std::size_t first, std::span<double const> cells);

void Dataset::prepare(Forms wanted, unsigned n_threads, Monitor& monitor) const {
  auto const lock = lock_store(monitor);
  Forms const forms = wanted.without(store_->made);
  bool const categories = !store_->has_categories;
  if (!forms.any() && !categories) return;
  std::vector<Column> made = make_columns(forms, categories, n_threads, monitor);
  // From here on nothing throws, and nothing is written that a reader of the earlier forms may look at.
  for (std::size_t f = 0; f < made.size(); ++f) {
    Column& column = store_->columns[f];
    if (!is_missing_known(f)) column.has_missing = made[f].has_missing;
    if (is_nominal(f) ? categories : forms.ranks) column.codes = std::move(made[f].codes);
    if (is_nominal(f) || !forms.values) continue;
    column.narrow = std::move(made[f].narrow);
    column.wide = std::move(made[f].wide);
    column.is_wide = !column.wide.empty();
  }
  store_->made = store_->made | forms;
  store_->has_categories = true;
}

void Dataset::release() {
  if (is_filled()) return;
  store_ = std::make_shared<Store>();
  store_->columns.resize(n_features());
}

std::unique_lock<std::mutex> Dataset::lock_store(Monitor& monitor) const {
  std::unique_lock lock(store_->guard, std::defer_lock);
  while (!lock.try_lock()) {  // another thread prepares the table; a timed lock would be one that ThreadSanitizer cannot see
    monitor.poll();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return lock;
}

std::vector<Dataset::Column> Dataset::make_columns(Forms forms, bool categories, unsigned n_threads, Monitor& monitor) const {
  std::vector<Column> columns(n_features());
  auto const arena = std::make_shared<Arena>(n_features() * n_rows() * sizeof(Code));
  // Each worker takes a range of columns, so that it needs one coder.
  std::size_t const n_workers = std::clamp<std::size_t>(n_threads, 1, std::max<std::size_t>(1, n_features()));
  parallel_for(n_workers, n_threads, monitor, [&](std::size_t worker, Monitor& shared) {
    RankCoder coder(forms.ranks ? n_rows() : 0);
    std::vector<std::size_t> by_value;
    for (std::size_t f = n_features() * worker / n_workers; f < n_features() * (worker + 1) / n_workers; ++f) {
      shared.poll();
      if (is_nominal(f)) {
        if (categories) store_nominal(f, arena, columns[f]);
        continue;
      }
      if (forms.values) by_value.push_back(f);
      if (!forms.ranks) continue;
      rank_values(f, coder, arena, columns[f]);
    }
    store_values(by_value, arena, columns, shared);
  });
  return columns;
}

void Dataset::rank_values(std::size_t feature, RankCoder& coder, std::shared_ptr<Arena> const& arena, Column& to) const {
  to.codes.make(n_rows(), arena);
  if (!is_filled()) {
    to.has_missing = coder.code(input_, feature, *original_row_, to.codes.writable());
    return;
  }
  Column const& from = column(feature);
  bool const is_wide = !from.wide.empty();
  auto const* const cells =
      is_wide ? reinterpret_cast<std::byte const*>(from.wide.data()) : reinterpret_cast<std::byte const*>(from.narrow.data());
  auto const size = static_cast<std::ptrdiff_t>(is_wide ? sizeof(double) : sizeof(float));
  std::vector<Position> in_order(n_rows());
  std::iota(in_order.begin(), in_order.end(), Position{0});
  to.has_missing = coder.code(MatrixView{cells, is_wide, n_rows(), 1, size, size}, 0, in_order, to.codes.writable());
}

bool Dataset::is_missing_known(std::size_t feature) const { return is_nominal(feature) ? store_->has_categories : store_->made.any(); }

std::vector<std::uint8_t> Dataset::missing_columns(Monitor& monitor) const {
  auto const lock = lock_store(monitor);
  std::vector<std::uint8_t> missing(n_features());
  std::vector<std::size_t> unknown;
  for (std::size_t f = 0; f < n_features(); ++f) {
    if (is_missing_known(f)) {
      missing[f] = has_missing(f) ? 1 : 0;
    } else {
      unknown.push_back(f);
    }
  }
  look_for_missing(unknown, missing, monitor);
  return missing;
}

void Dataset::look_for_missing(std::span<std::size_t const> features, std::vector<std::uint8_t>& missing, Monitor& monitor) const {
  constexpr std::size_t block = 256;
  for (std::size_t begin = 0; begin < n_rows(); begin += block) {
    if (begin % (256 * block) == 0) monitor.poll();
    std::size_t const end = std::min(begin + block, n_rows());
    for (std::size_t f : features) {
      std::uint8_t found = missing[f];
      for (std::size_t row = begin; row < end && found == 0; ++row) {
        double const cell = input_.at(row, f);
        found = cell != cell ? 1 : 0;
      }
      missing[f] = found;
    }
  }
}

bool Dataset::has(Forms forms) const {
  std::lock_guard const lock(store_->guard);
  return !forms.without(store_->made).any();
}

Dataset Dataset::rows_only(std::span<Position const> positions, std::span<std::size_t const> class_begin) const {
  Dataset part;
  part.input_ = input_;
  part.n_categories_ = n_categories_;
  part.class_begin_.assign(class_begin.begin(), class_begin.end());
  auto rows = std::make_shared<std::vector<Position>>(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) (*rows)[i] = (*original_row_)[positions[i]];
  part.original_row_ = rows;
  part.store_ = std::make_shared<Store>();
  part.store_->columns.resize(n_features());
  return part;
}

Dataset Dataset::ranked(std::span<Position const> positions, std::span<std::size_t const> class_begin) const {
  Dataset part = rows_only(positions, class_begin);
  RankCoder coder(positions.size());
  auto const arena = std::make_shared<Arena>(n_features() * positions.size() * sizeof(Code));
  for (std::size_t f = 0; f < n_features(); ++f) {
    Column& to = part.store_->columns[f];
    to.codes.make(positions.size(), arena);
    if (is_nominal(f)) {
      to.has_missing = column(f).has_missing;
      for (std::size_t i = 0; i < positions.size(); ++i) to.codes.writable()[i] = column(f).codes[positions[i]];
    } else {
      to.has_missing = coder.code(input_, f, *part.original_row_, to.codes.writable());
    }
  }
  part.store_->made = {.ranks = true, .values = false};
  part.store_->has_categories = true;
  return part;
}

Dataset Dataset::subset(std::span<Position const> positions, std::span<std::size_t const> class_begin,
                        std::span<std::uint32_t const> features, Forms forms) const {
  Dataset part = rows_only(positions, class_begin);
  std::vector<Column>& columns = part.store_->columns;
  auto const arena = std::make_shared<Arena>(features.size() * positions.size() * sizeof(Code));
  auto const copy = [&](auto const& cells, auto& to) {
    if (cells.empty()) return;
    to.make(positions.size(), arena);
    for (std::size_t i = 0; i < positions.size(); ++i) to.writable()[i] = cells[positions[i]];
  };
  std::vector<std::uint32_t> from_rows;
  for (std::uint32_t f : features) {
    Column& to = columns[f];
    to.has_missing = column(f).has_missing;
    if (is_nominal(f) || forms.ranks) copy(column(f).codes, to.codes);
    if (is_nominal(f) || !(forms.values || is_filled())) continue;  // a filled table has its values nowhere else
    if (!column(f).narrow.empty() && input_.is_row_major<float>()) {
      from_rows.push_back(f);
    } else {
      copy(column(f).narrow, to.narrow);
      copy(column(f).wide, to.wide);
    }
  }
  for (std::uint32_t f : from_rows) columns[f].narrow.make(positions.size(), arena);
  copy_rows(from_rows, *part.original_row_, columns);
  return part;
}

// From the caller's rows: scattered rows cost two or three cache lines each there, and one per cell in the columns.
void Dataset::copy_rows(std::span<std::uint32_t const> features, std::span<Position const> rows, std::vector<Column>& columns) const {
  constexpr std::size_t block = 64;  // rows that stay in the first-level cache until all their cells are read
  auto const* const input = reinterpret_cast<float const*>(input_.data);
  std::ptrdiff_t const stride = input_.row_stride / static_cast<std::ptrdiff_t>(sizeof(float));
  for (std::size_t begin = 0; begin < rows.size(); begin += block) {
    std::size_t const end = std::min(begin + block, rows.size());
    for (std::uint32_t f : features) {
      float* const to = columns[f].narrow.writable().data();
      float const* const from = input + f;
      for (std::size_t i = begin; i < end; ++i) to[i] = from[static_cast<std::ptrdiff_t>(rows[i]) * stride];
    }
  }
}

Dataset Dataset::relabelled(std::span<std::int32_t const> class_map) const {
  if (class_map.size() != n_classes())
    throw std::invalid_argument("there are " + std::to_string(n_classes()) + " classes but " + std::to_string(class_map.size()) +
                                " entries in the map of classes");
  std::int32_t const last_class = class_map.empty() ? -1 : *std::max_element(class_map.begin(), class_map.end());
  if (last_class < 0 || *std::min_element(class_map.begin(), class_map.end()) < -1)
    throw std::invalid_argument("classes are numbered from 0, -1 leaves a class out, and not every class can be left out");

  Dataset result(*this);
  result.class_begin_.assign(static_cast<std::size_t>(last_class) + 2, 0);
  // By the caller's row: its class, and where it is stored.
  std::vector<std::int32_t> class_of_row(n_rows(), -1);
  std::vector<Position> position_of_row(n_rows());
  for (std::size_t j = 0; j < n_classes(); ++j) {
    if (class_map[j] < 0) continue;
    result.class_begin_[static_cast<std::size_t>(class_map[j]) + 1] += class_end(j) - class_begin(j);
    for (std::size_t i = class_begin(j); i < class_end(j); ++i) {
      std::size_t const row = original_row(position(i));
      class_of_row[row] = class_map[j];
      position_of_row[row] = position(i);
    }
  }
  std::partial_sum(result.class_begin_.begin(), result.class_begin_.end(), result.class_begin_.begin());
  result.relabelled_.resize(result.class_begin_.back());
  std::vector<std::size_t> next(result.class_begin_.begin(), result.class_begin_.end() - 1);
  for (std::size_t row = 0; row < n_rows(); ++row) {
    if (class_of_row[row] >= 0) result.relabelled_[next[static_cast<std::size_t>(class_of_row[row])]++] = position_of_row[row];
  }
  return result;
}

Dataset Dataset::with_classes(std::vector<std::uint32_t> numbers) const {
  Dataset result;
  result.input_ = input_;
  result.n_categories_ = n_categories_;
  result.class_begin_.assign(numbers.size() + 1, 0);
  result.class_numbers_ = std::move(numbers);
  result.original_row_ = original_row_;
  result.store_ = store_;
  return result;
}

std::size_t Dataset::most_categories() const {
  return n_categories_.empty() ? 0 : *std::max_element(n_categories_.begin(), n_categories_.end());
}

// Counts the classes into class_begin_ and returns the caller's rows by class.
std::vector<Position> Dataset::group_by_class(std::span<std::int32_t const> labels) {
  for (std::int32_t label : labels) {
    if (label < 0 || static_cast<std::size_t>(label) >= n_classes())
      throw std::invalid_argument("label out of range: " + std::to_string(label));
    ++class_begin_[static_cast<std::size_t>(label) + 1];
  }
  for (std::size_t j = 1; j < class_begin_.size(); ++j) class_begin_[j] += class_begin_[j - 1];
  std::vector<std::size_t> next(class_begin_.begin(), class_begin_.end() - 1);
  std::vector<Position> rows(labels.size());
  for (std::size_t row = 0; row < labels.size(); ++row) rows[next[static_cast<std::size_t>(labels[row])]++] = static_cast<Position>(row);
  return rows;
}

void Dataset::store_nominal(std::size_t feature, std::shared_ptr<Arena> const& arena, Column& column) const {
  column.codes.make(n_rows(), arena);
  for (std::size_t p = 0; p < n_rows(); ++p) {
    double const value = input_.at((*original_row_)[p], feature);
    if (value != value) {
      column.codes.writable()[p] = missing_code;
      column.has_missing = true;
    } else if (value >= 0.0 && value < static_cast<double>(n_categories_[feature])) {
      column.codes.writable()[p] = static_cast<Code>(value);
    } else {
      throw std::invalid_argument("column " + std::to_string(feature) + ": category code out of range: " + std::to_string(value));
    }
  }
}

// Block of rows by block of rows: a table that lies row by row passes through the cache once, not once per column.
void Dataset::store_values(std::span<std::size_t const> features, std::shared_ptr<Arena> const& arena, std::vector<Column>& columns,
                           Monitor& monitor) const {
  constexpr std::size_t block = 256;
  for (std::size_t f : features) {
    if (input_.is_double) {
      columns[f].narrow.make_alone(n_rows());  // may be given up
    } else {
      columns[f].narrow.make(n_rows(), arena);
    }
  }
  for (std::size_t begin = 0; begin < n_rows(); begin += block) {
    if (begin % (256 * block) == 0) monitor.poll();
    for (std::size_t f : features) store_values(f, begin, std::min(begin + block, n_rows()), arena, columns[f]);
  }
}

// Rows [begin, end) of one column; turns it into float64 when a value does not fit float32.
void Dataset::store_values(std::size_t feature, std::size_t begin, std::size_t end, std::shared_ptr<Arena> const& arena,
                           Column& column) const {
  for (std::size_t p = begin; p < end; ++p) {
    double const value = input_.at((*original_row_)[p], feature);
    bool const missing = value != value;
    column.has_missing = column.has_missing || missing;
    if (column.narrow.empty()) {
      column.wide.writable()[p] = value;
      continue;
    }
    column.narrow.writable()[p] = static_cast<float>(value);
    if (missing || static_cast<double>(column.narrow[p]) == value) continue;
    column.wide.make(n_rows(), arena);
    std::copy_n(column.narrow.begin(), p, column.wide.writable().begin());
    column.wide.writable()[p] = value;
    column.narrow = Cells<float>();
  }
}

}  // namespace rarewood
