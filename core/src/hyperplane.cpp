#include "rarewood/splitters/hyperplane.hpp"

#include <algorithm>
#include <cmath>

#include "wide.hpp"

namespace rarewood {

namespace {

constexpr int max_redraws = 10;  // of a line that leaves one side empty
constexpr std::size_t at_once = 4;

// Lines weights_a[k] * a + weights_b[k] * b <= offsets[k].
struct Lines {
  double weights_a[at_once] = {};
  double weights_b[at_once] = {};
  double offsets[at_once] = {};
};

// Rows left of each of four lines; the arithmetic of prediction.
RAREWOOD_WIDE void count_left_of(Lines const& lines, double const* a, double const* b, std::size_t n, std::int64_t* counts) {
  Lines const l = lines;
  std::int64_t count_0 = 0, count_1 = 0, count_2 = 0, count_3 = 0;
  for (std::size_t i = 0; i < n; ++i) {
    count_0 += l.weights_a[0] * a[i] + l.weights_b[0] * b[i] <= l.offsets[0] ? 1 : 0;
    count_1 += l.weights_a[1] * a[i] + l.weights_b[1] * b[i] <= l.offsets[1] ? 1 : 0;
    count_2 += l.weights_a[2] * a[i] + l.weights_b[2] * b[i] <= l.offsets[2] ? 1 : 0;
    count_3 += l.weights_a[3] * a[i] + l.weights_b[3] * b[i] <= l.offsets[3] ? 1 : 0;
  }
  counts[0] = count_0;
  counts[1] = count_1;
  counts[2] = count_2;
  counts[3] = count_3;
}

}  // namespace

void HyperplaneSplitter::gather(NodeRows const& node) {
  missing_.assign(node.n_classes() + 1, 0.0);
  for (Axis* axis : {&a_, &b_}) {
    if (axis->cells.size() < node.size()) axis->cells.resize(node.size());
  }
  if (data_.has_missing(a_.feature) || data_.has_missing(b_.feature)) {
    gather_present(node);
  } else {
    gather_all(node, a_);
    gather_all(node, b_);
    n_rows_ = node.size();
    class_begin_.assign(node.class_begin.begin(), node.class_begin.end());
    weights_ = node.weights;
  }
  find_range(a_);
  find_range(b_);
}

void HyperplaneSplitter::gather_all(NodeRows const& node, Axis& axis) {
  std::span<float const> const narrow = node.data->narrow(axis.feature);
  double* const cells = axis.cells.data();
  if (narrow.empty()) {
    for (std::size_t i = 0; i < node.size(); ++i) cells[i] = node.data->cell(node.positions[i], axis.feature);
  } else {
    for (std::size_t i = 0; i < node.size(); ++i) cells[i] = static_cast<double>(narrow[node.positions[i]]);
  }
}

void HyperplaneSplitter::gather_present(NodeRows const& node) {
  std::size_t const n_classes = node.n_classes();
  n_rows_ = 0;
  weight_buffer_.clear();
  class_begin_.assign(n_classes + 1, 0);
  for (std::size_t j = 0; j < n_classes; ++j) {
    for (std::size_t i = node.class_begin[j]; i < node.class_begin[j + 1]; ++i) {
      double const a = node.data->cell(node.positions[i], a_.feature);
      double const b = node.data->cell(node.positions[i], b_.feature);
      if (a != a || b != b) {
        missing_[j] += node.weight(i);
        missing_[n_classes] += node.cases_of(node.weight(i));
        continue;
      }
      if (!node.weights.empty()) weight_buffer_.push_back(node.weights[i]);
      a_.cells[n_rows_] = a;
      b_.cells[n_rows_++] = b;
    }
    class_begin_[j + 1] = n_rows_;
  }
  weights_ = weight_buffer_;
}

void HyperplaneSplitter::find_range(Axis& axis) const {
  axis.categories.clear();
  axis.low = axis.high = 0.0;
  if (n_rows_ == 0) return;
  double const* const cells = axis.cells.data();
  axis.low = axis.high = cells[0];
  widen(cells, n_rows_, axis.low, axis.high);
  if (!data_.is_nominal(axis.feature)) return;
  std::vector<char> seen(data_.n_categories(axis.feature), 0);
  for (std::size_t i = 0; i < n_rows_; ++i) seen[static_cast<std::size_t>(cells[i])] = 1;
  for (std::size_t code = 0; code < seen.size(); ++code) {
    if (seen[code] != 0) axis.categories.push_back(static_cast<Code>(code));
  }
  axis.low = 0.0;
  axis.high = static_cast<double>(axis.categories.size() - 1);
}

// Gives the categories of a nominal axis new places. Does nothing to a numeric one.
void HyperplaneSplitter::shuffle_categories(Axis& axis, Rng& rng) {
  if (axis.categories.empty()) return;
  for (std::size_t i = axis.categories.size(); i > 1; --i)
    std::swap(axis.categories[i - 1], axis.categories[rng.below(static_cast<std::uint32_t>(i))]);
  for (std::size_t place = 0; place < axis.categories.size(); ++place) place_of_[axis.categories[place]] = static_cast<double>(place);
  if (axis.placed.size() < n_rows_) axis.placed.resize(n_rows_);
  for (std::size_t i = 0; i < n_rows_; ++i) axis.placed[i] = place_of_[static_cast<std::size_t>(axis.cells[i])];
}

// Through two different points u, v of the box: normal (d_2, -d_1) for the direction d = v - u, left iff normal . x <= normal . u.
// The normal is scaled so that its second part is 1 or -1.
void HyperplaneSplitter::draw_line(Line& line, Rng& rng) {
  shuffle_categories(a_, rng);
  shuffle_categories(b_, rng);
  auto const draw = [&rng](Axis const& axis) { return axis.low + rng.uniform() * (axis.high - axis.low); };
  double const u_a = draw(a_);
  double const u_b = draw(b_);
  double const d_b = draw(b_) - u_b;
  double const d_a = draw(a_) - u_a;
  line.weight_a = d_b / std::abs(d_a);
  line.weight_b = d_a > 0.0 ? -1.0 : 1.0;
  line.offset = line.weight_a * u_a + line.weight_b * u_b;
  line.map_a.assign(a_.categories.begin(), a_.categories.end());
  line.map_b.assign(b_.categories.begin(), b_.categories.end());
}

// Draws all lines, and those that leave a side empty again, a few times.
void HyperplaneSplitter::draw_lines(NodeRows const& node, Rng& rng) {
  bool const placed_anew = !a_.categories.empty() || !b_.categories.empty();  // coordinates hold for the line drawn last
  lines_.resize(n_lines_);
  left_.resize(n_lines_ * stride_);
  for (std::size_t k = 0; k < n_lines_; ++k) lines_[k].usable = false;
  for (int draw = 0; draw <= max_redraws; ++draw) {
    to_draw_.clear();
    for (std::size_t k = 0; k < n_lines_; ++k) {
      if (lines_[k].usable) continue;
      draw_line(lines_[k], rng);
      to_draw_.push_back(k);
      if (placed_anew) count_left(node, {&k, 1});
    }
    if (to_draw_.empty()) return;
    if (!placed_anew) count_left(node, to_draw_);
  }
}

// Fills left_ for some of the lines. One is unusable when a side is empty (also if it goes through one point twice, or its numbers overflow).
void HyperplaneSplitter::count_left(NodeRows const& node, std::span<std::size_t const> lines) {
  if (!weights_.empty()) {
    for (std::size_t number : lines) count_left_weighted(node, number);
    return;
  }
  double const* const a = a_.coordinates();
  double const* const b = b_.coordinates();
  for (std::size_t first = 0; first < lines.size(); first += at_once) {
    std::span<std::size_t const> const group = lines.subspan(first, std::min(at_once, lines.size() - first));
    Lines together;
    double n_left[at_once] = {};
    for (std::size_t k = 0; k < group.size(); ++k) {
      together.weights_a[k] = lines_[group[k]].weight_a;
      together.weights_b[k] = lines_[group[k]].weight_b;
      together.offsets[k] = lines_[group[k]].offset;
    }
    for (std::size_t j = 0; j + 1 < stride_; ++j) {
      std::int64_t counts[at_once];
      count_left_of(together, a + class_begin_[j], b + class_begin_[j], class_begin_[j + 1] - class_begin_[j], counts);
      for (std::size_t k = 0; k < group.size(); ++k) {
        left_[group[k] * stride_ + j] = static_cast<double>(counts[k]);
        n_left[k] += static_cast<double>(counts[k]);
      }
    }
    for (std::size_t k = 0; k < group.size(); ++k) {
      left_[group[k] * stride_ + stride_ - 1] = n_left[k];
      lines_[group[k]].usable = is_usable(lines_[group[k]], n_left[k]);
    }
  }
}

void HyperplaneSplitter::count_left_weighted(NodeRows const& node, std::size_t number) {
  Line& line = lines_[number];
  double* const left = left_.data() + number * stride_;
  double const* const a = a_.coordinates();
  double const* const b = b_.coordinates();
  std::fill(left, left + stride_, 0.0);
  double n_left = 0.0;
  for (std::size_t j = 0; j + 1 < stride_; ++j) {
    for (std::size_t i = class_begin_[j]; i < class_begin_[j + 1]; ++i) {
      if (!(line.weight_a * a[i] + line.weight_b * b[i] <= line.offset)) continue;
      double const weight = weights_[i];
      n_left += 1.0;
      left[j] += weight;
      left[stride_ - 1] += node.cases_of(weight);
    }
  }
  line.usable = is_usable(line, n_left);
}

bool HyperplaneSplitter::is_usable(Line const& line, double n_left) const {
  return std::isfinite(line.weight_a) && std::isfinite(line.offset) && n_left > 0.0 && n_left < static_cast<double>(n_rows_);
}

HyperplaneSplitter::Result HyperplaneSplitter::search(NodeRows const& node, std::uint32_t feature_a, std::uint32_t feature_b,
                                                      double min_cases, Key key, Candidates& candidates) {
  a_.feature = feature_a;
  b_.feature = feature_b;
  gather(node);
  candidates.begin_feature(min_cases);
  Result result;
  result.constant_a = is_constant(a_);
  result.constant_b = is_constant(b_);
  if (n_rows_ == 0 || result.constant_a || result.constant_b) return result;
  Rng rng(key);
  draw_lines(node, rng);
  propose(candidates);
  result.best = candidates.finish_feature();
  if (result.best.found) result.split = split_of(lines_[NumericTag::unpack(result.best.tag).cut], result.best);
  return result;
}

void HyperplaneSplitter::propose(Candidates& candidates) {
  bool const any_missing = missing_.back() > 0.0;
  with_missing_.resize(stride_);
  for (std::size_t k = 0; k < n_lines_; ++k) {
    if (!lines_[k].usable) continue;
    double const* const left = left_.data() + k * stride_;
    if (any_missing) {
      for (std::size_t j = 0; j < stride_; ++j) with_missing_[j] = left[j] + missing_[j];
      candidates.propose(with_missing_.data(), NumericTag{static_cast<Code>(k), true, true}.pack());
    }
    candidates.propose(left, NumericTag{static_cast<Code>(k), false, any_missing}.pack());
  }
}

void HyperplaneSplitter::keep_cells() {
  kept_whole_ = missing_.back() == 0.0 && a_.categories.empty() && b_.categories.empty();
  kept_rows_ = n_rows_;
  if (!kept_whole_) return;
  std::swap(a_, kept_a_);
  std::swap(b_, kept_b_);
}

std::span<std::uint8_t const> HyperplaneSplitter::sides_of(Split const& split) {
  if (!kept_whole_) return {};
  if (sides_.size() < kept_rows_) sides_.resize(kept_rows_);
  double const* const a = kept_a_.cells.data();
  double const* const b = kept_b_.cells.data();
  Hyperplane const& plane = split.plane;
  for (std::size_t i = 0; i < kept_rows_; ++i) sides_[i] = plane.weight_a * a[i] + plane.weight_b * b[i] <= plane.offset ? 0 : 1;
  return {sides_.data(), kept_rows_};
}

Split HyperplaneSplitter::split_of(Line const& line, BestCandidate const& best) const {
  NumericTag const tag = NumericTag::unpack(best.tag);
  Split split;
  split.kind = SplitKind::hyperplane;
  split.feature = a_.feature;
  split.missing_left = tag.missing_left;
  split.missing_seen = tag.missing_seen;
  split.plane = {a_.feature, b_.feature, line.weight_a, line.weight_b, line.offset, Hyperplane::no_map, Hyperplane::no_map, 0};
  split.map_a = line.map_a;
  split.map_b = line.map_b;
  return split;
}

}  // namespace rarewood
