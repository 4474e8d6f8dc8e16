#include "search/splitters/line_rows.hpp"

#include <algorithm>
#include <cmath>

namespace rarewood {

namespace {

double farthest(Box::Side const& side) { return std::max(std::abs(side.from()), std::abs(side.to())); }

template <class T>
void make_room(std::vector<T>& cells, std::size_t n) {
  if (cells.size() < n) cells.resize(n);
}

template <class T>
void find_sides(Line const& line, T const* a, T const* b, std::size_t n, std::uint8_t* sides) {
  Line const l = line;
  for (std::size_t i = 0; i < n; ++i) sides[i] = l.has_left(static_cast<double>(a[i]), static_cast<double>(b[i])) ? 0 : 1;
}

}  // namespace

Box const& LineRows::ask(NodeRows const& node, std::uint32_t feature_a, std::uint32_t feature_b) {
  box_.missing.assign(n_classes_ + 1, 0.0);
  bool const any_missing = data_->has_missing(feature_a) || data_->has_missing(feature_b);
  std::span<float const> const narrow_a = node.data->narrow(feature_a);
  std::span<float const> const narrow_b = node.data->narrow(feature_b);
  are_narrow_ = !any_missing && node.weights.empty() && !narrow_a.empty() && !narrow_b.empty();
  if (any_missing) {
    gather_present(node, feature_a, feature_b);
  } else {
    box_.n_rows = node.size();
    class_begin_.assign(node.class_begin.begin(), node.class_begin.end());
    weights_ = node.weights;
  }
  if (are_narrow_) {
    gather_narrow(node, narrow_a, narrow_b);
    return box_;
  }
  if (!any_missing) {
    gather_all(node, feature_a, a_.wide);
    gather_all(node, feature_b, b_.wide);
  }
  find_side(feature_a, a_.wide, box_.a);
  find_side(feature_b, b_.wide, box_.b);
  return box_;
}

// In blocks that stay in the first-level cache: positions until both columns are read, cells until their extremes are known.
void LineRows::gather_narrow(NodeRows const& node, std::span<float const> column_a, std::span<float const> column_b) {
  constexpr std::size_t block = 2048;
  std::size_t const n = node.size();
  Position const first = n == 0 ? 0 : node.positions[0];
  float low_a = column_a[first], high_a = low_a;
  float low_b = column_b[first], high_b = low_b;
  make_room(a_.narrow, n);
  make_room(b_.narrow, n);
  for (std::size_t begin = 0; begin < n; begin += block) {
    std::size_t const size = std::min(block, n - begin);
    Position const* const positions = node.positions.data() + begin;
    gather_cells(column_a.data(), positions, size, a_.narrow.data() + begin);
    gather_cells(column_b.data(), positions, size, b_.narrow.data() + begin);
    widen(a_.narrow.data() + begin, size, low_a, high_a);
    widen(b_.narrow.data() + begin, size, low_b, high_b);
  }
  box_.a = {static_cast<double>(low_a), static_cast<double>(high_a), {}};
  box_.b = {static_cast<double>(low_b), static_cast<double>(high_b), {}};
}

void LineRows::gather_all(NodeRows const& node, std::uint32_t feature, std::vector<double>& cells) const {
  make_room(cells, node.size());
  for (std::size_t i = 0; i < node.size(); ++i) cells[i] = node.data->cell(node.positions[i], feature);
}

void LineRows::gather_present(NodeRows const& node, std::uint32_t feature_a, std::uint32_t feature_b) {
  make_room(a_.wide, node.size());
  make_room(b_.wide, node.size());
  std::size_t n_rows = 0;
  weight_buffer_.clear();
  class_begin_.assign(n_classes_ + 1, 0);
  for (std::size_t j = 0; j < n_classes_; ++j) {
    for (std::size_t i = node.class_begin[j]; i < node.class_begin[j + 1]; ++i) {
      double const a = node.data->cell(node.positions[i], feature_a);
      double const b = node.data->cell(node.positions[i], feature_b);
      if (a != a || b != b) {
        box_.missing[j] += node.weight(i);
        box_.missing[n_classes_] += node.cases_of(node.weight(i));
        continue;
      }
      if (!node.weights.empty()) weight_buffer_.push_back(node.weights[i]);
      a_.wide[n_rows] = a;
      b_.wide[n_rows++] = b;
    }
    class_begin_[j + 1] = n_rows;
  }
  box_.n_rows = n_rows;
  weights_ = weight_buffer_;
}

void LineRows::find_side(std::uint32_t feature, std::vector<double> const& of, Box::Side& side) const {
  side.categories.clear();
  side.low = side.high = 0.0;
  if (box_.n_rows == 0) return;
  double const* const cells = of.data();
  side.low = side.high = cells[0];
  widen(cells, box_.n_rows, side.low, side.high);
  if (!data_->is_nominal(feature)) return;
  std::vector<char> seen(data_->n_categories(feature), 0);
  for (std::size_t i = 0; i < box_.n_rows; ++i) seen[static_cast<std::size_t>(cells[i])] = 1;
  for (std::size_t code = 0; code < seen.size(); ++code) {
    if (seen[code] != 0) side.categories.push_back(static_cast<Code>(code));
  }
}

void LineRows::count(NodeRows const& node, LinesToCount const& asked, LineCounts& counts) {
  // Without categories all lines have the same coordinates; otherwise each has its own.
  bool const placed_anew = !box_.a.categories.empty() || !box_.b.categories.empty();
  if (weights_.empty() && !placed_anew) {
    counting_.set(asked.lines, asked.numbers, farthest(box_.a), farthest(box_.b));
    if (are_narrow_) return count_added(asked.numbers, a_.narrow.data(), b_.narrow.data(), counts);
    return count_added(asked.numbers, a_.wide.data(), b_.wide.data(), counts);
  }
  for (std::size_t const& k : asked.numbers) {
    Line const& line = asked.lines[k];
    double const* const a = coordinates(a_.wide, asked.order_a(k), placed_a_);
    double const* const b = coordinates(b_.wide, asked.order_b(k), placed_b_);
    if (!weights_.empty()) {
      count_weighted(node, k, line, a, b, counts);
      continue;
    }
    counting_.set(asked.lines, {&k, 1}, farthest(box_.a), farthest(box_.b));
    count_added({&k, 1}, a, b, counts);
  }
}

double const* LineRows::coordinates(std::vector<double> const& cells, std::span<Code const> order, std::vector<double>& placed) {
  if (order.empty()) return cells.data();
  for (std::size_t place = 0; place < order.size(); ++place) place_of_[order[place]] = static_cast<double>(place);
  make_room(placed, box_.n_rows);
  for (std::size_t i = 0; i < box_.n_rows; ++i) placed[i] = place_of_[static_cast<std::size_t>(cells[i])];
  return placed.data();
}

template <class T>
void LineRows::count_added(std::span<std::size_t const> numbers, T const* a, T const* b, LineCounts& counts) {
  double* const rows = counts.rows.data();
  double* const cases = counts.left.of(n_classes_);
  make_room(n_left_, numbers.size());
  for (std::size_t k : numbers) rows[k] = 0.0;
  for (std::size_t j = 0; j < n_classes_; ++j) {
    std::size_t const begin = class_begin_[j];
    counting_.count(a + begin, b + begin, class_begin_[j + 1] - begin, n_left_.data());
    double* const left = counts.left.of(j);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      left[numbers[i]] = n_left_[i];
      rows[numbers[i]] += n_left_[i];
    }
  }
  for (std::size_t k : numbers) cases[k] = rows[k];
}

void LineRows::count_weighted(NodeRows const& node, std::size_t number, Line const& line, double const* a, double const* b,
                              LineCounts& counts) const {
  double rows = 0.0, cases = 0.0;
  for (std::size_t j = 0; j < n_classes_; ++j) {
    double left = 0.0;
    for (std::size_t i = class_begin_[j]; i < class_begin_[j + 1]; ++i) {
      if (!line.has_left(a[i], b[i])) continue;
      rows += 1.0;
      left += weights_[i];
      cases += node.cases_of(weights_[i]);
    }
    counts.left.of(j)[number] = left;
  }
  counts.left.of(n_classes_)[number] = cases;
  counts.rows[number] = rows;
}

std::span<std::uint8_t const> LineRows::sides_of(Line const& line) {
  if (box_.any_missing() || !box_.a.categories.empty() || !box_.b.categories.empty()) return {};
  make_room(sides_, box_.n_rows);
  if (are_narrow_) {
    find_sides(line, a_.narrow.data(), b_.narrow.data(), box_.n_rows, sides_.data());
  } else {
    find_sides(line, a_.wide.data(), b_.wide.data(), box_.n_rows, sides_.data());
  }
  return {sides_.data(), box_.n_rows};
}

}  // namespace rarewood
