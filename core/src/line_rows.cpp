#include "rarewood/splitters/line_rows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "wide.hpp"

namespace rarewood {

namespace {

constexpr std::size_t at_once = 4;

// Lines weights[k] * a + b <= offsets[k]. A line weight_a * a - b <= offset has its rows on the other side of -weight_a * a + b < -offset:
// changing the sign of a number is exact, so no row changes sides.
struct Lines {
  double weights[at_once] = {};
  double offsets[at_once] = {};
  bool other_side[at_once] = {};

  void set(std::size_t k, Line const& line) {
    other_side[k] = line.weight_b < 0.0;
    weights[k] = other_side[k] ? -line.weight_a : line.weight_a;
    offsets[k] = other_side[k] ? std::nextafter(-line.offset, -std::numeric_limits<double>::infinity()) : line.offset;
  }
};

// Rows left of each of four lines; the arithmetic of prediction.
RAREWOOD_WIDE void count_left_of(Lines const& lines, double const* a, double const* b, std::size_t n, std::int64_t* counts) {
  Lines const l = lines;
  std::int64_t count_0 = 0, count_1 = 0, count_2 = 0, count_3 = 0;
  for (std::size_t i = 0; i < n; ++i) {
    count_0 += l.weights[0] * a[i] + b[i] <= l.offsets[0] ? 1 : 0;
    count_1 += l.weights[1] * a[i] + b[i] <= l.offsets[1] ? 1 : 0;
    count_2 += l.weights[2] * a[i] + b[i] <= l.offsets[2] ? 1 : 0;
    count_3 += l.weights[3] * a[i] + b[i] <= l.offsets[3] ? 1 : 0;
  }
  counts[0] = count_0;
  counts[1] = count_1;
  counts[2] = count_2;
  counts[3] = count_3;
  for (std::size_t k = 0; k < at_once; ++k) {
    if (l.other_side[k]) counts[k] = static_cast<std::int64_t>(n) - counts[k];
  }
}

}  // namespace

Box const& LineRows::ask(NodeRows const& node, std::uint32_t feature_a, std::uint32_t feature_b) {
  box_.missing.assign(stride_, 0.0);
  for (Cells* cells : {&a_, &b_}) {
    if (cells->size() < node.size()) cells->resize(node.size());
  }
  if (data_->has_missing(feature_a) || data_->has_missing(feature_b)) {
    gather_present(node, feature_a, feature_b);
  } else {
    gather_all(node, feature_a, a_);
    gather_all(node, feature_b, b_);
    box_.n_rows = node.size();
    class_begin_.assign(node.class_begin.begin(), node.class_begin.end());
    weights_ = node.weights;
  }
  find_side(feature_a, a_, box_.a);
  find_side(feature_b, b_, box_.b);
  return box_;
}

void LineRows::gather_all(NodeRows const& node, std::uint32_t feature, Cells& to) {
  std::span<float const> const narrow = node.data->narrow(feature);
  double* const cells = to.data();
  if (narrow.empty()) {
    for (std::size_t i = 0; i < node.size(); ++i) cells[i] = node.data->cell(node.positions[i], feature);
  } else {
    for (std::size_t i = 0; i < node.size(); ++i) cells[i] = static_cast<double>(narrow[node.positions[i]]);
  }
}

void LineRows::gather_present(NodeRows const& node, std::uint32_t feature_a, std::uint32_t feature_b) {
  std::size_t const n_classes = node.n_classes();
  std::size_t n_rows = 0;
  weight_buffer_.clear();
  class_begin_.assign(n_classes + 1, 0);
  for (std::size_t j = 0; j < n_classes; ++j) {
    for (std::size_t i = node.class_begin[j]; i < node.class_begin[j + 1]; ++i) {
      double const a = node.data->cell(node.positions[i], feature_a);
      double const b = node.data->cell(node.positions[i], feature_b);
      if (a != a || b != b) {
        box_.missing[j] += node.weight(i);
        box_.missing[n_classes] += node.cases_of(node.weight(i));
        continue;
      }
      if (!node.weights.empty()) weight_buffer_.push_back(node.weights[i]);
      a_[n_rows] = a;
      b_[n_rows++] = b;
    }
    class_begin_[j + 1] = n_rows;
  }
  box_.n_rows = n_rows;
  weights_ = weight_buffer_;
}

void LineRows::find_side(std::uint32_t feature, Cells const& of, Box::Side& side) const {
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

void LineRows::count(NodeRows const& node, LineDrawing const& drawing, LineCounts& counts) {
  std::span<std::size_t const> const lines = drawing.to_count();
  // Without categories all lines have the same coordinates; otherwise each has its own.
  bool const placed_anew = !box_.a.categories.empty() || !box_.b.categories.empty();
  std::size_t const at_a_time = placed_anew || !weights_.empty() ? 1 : at_once;
  for (std::size_t first = 0; first < lines.size(); first += at_a_time) {
    std::span<std::size_t const> const group = lines.subspan(first, std::min(at_a_time, lines.size() - first));
    std::size_t const number = group.front();
    Line const& line = drawing.lines()[number];
    double const* const a = coordinates(a_, line.map_a, placed_a_);
    double const* const b = coordinates(b_, line.map_b, placed_b_);
    if (weights_.empty()) {
      count_together(drawing.lines(), group, a, b, counts);
    } else {
      count_weighted(node, line, a, b, counts.left.data() + number * stride_, counts.rows[number]);
    }
  }
}

double const* LineRows::coordinates(Cells const& cells, std::vector<Code> const& map, Cells& placed) {
  if (map.empty()) return cells.data();
  for (std::size_t place = 0; place < map.size(); ++place) place_of_[map[place]] = static_cast<double>(place);
  if (placed.size() < box_.n_rows) placed.resize(box_.n_rows);
  for (std::size_t i = 0; i < box_.n_rows; ++i) placed[i] = place_of_[static_cast<std::size_t>(cells[i])];
  return placed.data();
}

// At most `at_once` lines.
void LineRows::count_together(std::span<Line const> all, std::span<std::size_t const> lines, double const* a, double const* b,
                              LineCounts& counts) const {
  Lines together;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    together.set(k, all[lines[k]]);
    counts.rows[lines[k]] = 0.0;
  }
  for (std::size_t j = 0; j + 1 < stride_; ++j) {
    std::int64_t n_left[at_once];
    count_left_of(together, a + class_begin_[j], b + class_begin_[j], class_begin_[j + 1] - class_begin_[j], n_left);
    for (std::size_t k = 0; k < lines.size(); ++k) {
      counts.left[lines[k] * stride_ + j] = static_cast<double>(n_left[k]);
      counts.rows[lines[k]] += static_cast<double>(n_left[k]);
    }
  }
  for (std::size_t k : lines) counts.left[k * stride_ + stride_ - 1] = counts.rows[k];
}

void LineRows::count_weighted(NodeRows const& node, Line const& line, double const* a, double const* b, double* left, double& rows) const {
  std::fill(left, left + stride_, 0.0);
  rows = 0.0;
  for (std::size_t j = 0; j + 1 < stride_; ++j) {
    for (std::size_t i = class_begin_[j]; i < class_begin_[j + 1]; ++i) {
      if (!line.has_left(a[i], b[i])) continue;
      double const weight = weights_[i];
      rows += 1.0;
      left[j] += weight;
      left[stride_ - 1] += node.cases_of(weight);
    }
  }
}

std::span<std::uint8_t const> LineRows::sides_of(Line const& line) {
  if (box_.any_missing() || !box_.a.categories.empty() || !box_.b.categories.empty()) return {};
  if (sides_.size() < box_.n_rows) sides_.resize(box_.n_rows);
  double const* const a = a_.data();
  double const* const b = b_.data();
  double const weight_a = line.weight_a, weight_b = line.weight_b, offset = line.offset;
  for (std::size_t i = 0; i < box_.n_rows; ++i) sides_[i] = weight_a * a[i] + weight_b * b[i] <= offset ? 0 : 1;
  return {sides_.data(), box_.n_rows};
}

}  // namespace rarewood
