#include "rarewood/splitters/hyperplane.hpp"

#include <algorithm>
#include <cmath>

namespace rarewood {

namespace {

constexpr int max_redraws = 10;  // of a line that leaves one side empty

}  // namespace

void HyperplaneSplitter::gather(NodeRows const& node) {
  missing_.assign(node.n_classes() + 1, 0.0);
  if (data_.has_missing(a_.feature) || data_.has_missing(b_.feature)) {
    gather_present(node);
  } else {
    gather_all(node, a_);
    gather_all(node, b_);
    class_begin_.assign(node.class_begin.begin(), node.class_begin.end());
    weights_ = node.weights;
  }
  find_range(a_);
  find_range(b_);
}

void HyperplaneSplitter::gather_all(NodeRows const& node, Axis& axis) {
  axis.cells.resize(node.size());
  std::span<float const> const narrow = node.data->narrow(axis.feature);
  if (narrow.empty()) {
    for (std::size_t i = 0; i < node.size(); ++i) axis.cells[i] = node.data->cell(node.positions[i], axis.feature);
  } else {
    for (std::size_t i = 0; i < node.size(); ++i) axis.cells[i] = static_cast<double>(narrow[node.positions[i]]);
  }
}

void HyperplaneSplitter::gather_present(NodeRows const& node) {
  std::size_t const n_classes = node.n_classes();
  a_.cells.clear();
  b_.cells.clear();
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
      a_.cells.push_back(a);
      b_.cells.push_back(b);
    }
    class_begin_[j + 1] = a_.cells.size();
  }
  weights_ = weight_buffer_;
}

void HyperplaneSplitter::find_range(Axis& axis) const {
  axis.categories.clear();
  axis.low = axis.high = 0.0;
  if (axis.cells.empty()) return;
  double low = axis.cells.front();
  double high = low;
#pragma omp simd reduction(min : low) reduction(max : high)
  for (std::size_t i = 0; i < axis.cells.size(); ++i) {
    low = axis.cells[i] < low ? axis.cells[i] : low;
    high = axis.cells[i] > high ? axis.cells[i] : high;
  }
  axis.low = low;
  axis.high = high;
  if (!data_.is_nominal(axis.feature)) return;
  std::vector<char> seen(data_.n_categories(axis.feature), 0);
  for (double code : axis.cells) seen[static_cast<std::size_t>(code)] = 1;
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
  axis.placed.resize(axis.cells.size());
  for (std::size_t i = 0; i < axis.cells.size(); ++i) axis.placed[i] = place_of_[static_cast<std::size_t>(axis.cells[i])];
}

// Through two different points u, v of the box: normal (d_2, -d_1) for the direction d = v - u, left iff normal . x <= normal . u.
// The normal is scaled so that its second part is 1 or -1, which saves a multiplication per row.
HyperplaneSplitter::Line HyperplaneSplitter::draw_line(Rng& rng) {
  shuffle_categories(a_, rng);
  shuffle_categories(b_, rng);
  auto const draw = [&rng](Axis const& axis) { return axis.low + rng.uniform() * (axis.high - axis.low); };
  double const u_a = draw(a_);
  double const u_b = draw(b_);
  double const d_b = draw(b_) - u_b;
  double const d_a = draw(a_) - u_a;
  double const weight_a = d_b / std::abs(d_a);
  double const weight_b = d_a > 0.0 ? -1.0 : 1.0;
  return {weight_a, weight_b, weight_a * u_a + weight_b * u_b, a_.categories, b_.categories};
}

// Rows left of a line. 1 * b and -1 * b are b and -b exactly, so this is the arithmetic of prediction.
std::size_t HyperplaneSplitter::count_left_of(Line const& line, double const* a, double const* b, std::size_t n) {
  double const weight = line.weight_a;
  double const offset = line.offset;
  std::int64_t count = 0;
  if (line.weight_b > 0.0) {
    for (std::size_t i = 0; i < n; ++i) count += weight * a[i] + b[i] <= offset ? 1 : 0;
  } else {
    for (std::size_t i = 0; i < n; ++i) count += weight * a[i] - b[i] <= offset ? 1 : 0;
  }
  return static_cast<std::size_t>(count);
}

// Fills left_; false when a side is empty (also for a line through one point twice, or one whose numbers overflow).
bool HyperplaneSplitter::count_left(NodeRows const& node, Line const& line) {
  std::size_t const n_classes = node.n_classes();
  double const* const a = a_.coordinates().data();
  double const* const b = b_.coordinates().data();
  left_.assign(n_classes + 1, 0.0);
  if (weights_.empty()) {
    for (std::size_t j = 0; j < n_classes; ++j) {
      std::size_t const begin = class_begin_[j];
      left_[j] = static_cast<double>(count_left_of(line, a + begin, b + begin, class_begin_[j + 1] - begin));
      left_[n_classes] += left_[j];
    }
    return is_usable(line, left_[n_classes]);
  }
  double n_left = 0.0;
  for (std::size_t j = 0; j < n_classes; ++j) {
    for (std::size_t i = class_begin_[j]; i < class_begin_[j + 1]; ++i) {
      if (!(line.weight_a * a[i] + line.weight_b * b[i] <= line.offset)) continue;
      double const weight = weights_[i];
      n_left += 1.0;
      left_[j] += weight;
      left_[n_classes] += node.cases_of(weight);
    }
  }
  return is_usable(line, n_left);
}

bool HyperplaneSplitter::is_usable(Line const& line, double n_left) const {
  return std::isfinite(line.weight_a) && std::isfinite(line.offset) && n_left > 0.0 && n_left < static_cast<double>(a_.cells.size());
}

HyperplaneSplitter::Result HyperplaneSplitter::search(NodeRows const& node, std::uint32_t feature_a, std::uint32_t feature_b,
                                                      double min_cases, Rng& rng, Candidates& candidates) {
  a_.feature = feature_a;
  b_.feature = feature_b;
  gather(node);
  candidates.begin_feature(min_cases);
  Result result;
  result.constant_a = is_constant(a_);
  result.constant_b = is_constant(b_);
  if (a_.cells.empty() || result.constant_a || result.constant_b) return result;
  std::vector<Line> lines;
  bool const any_missing = missing_.back() > 0.0;
  for (std::size_t k = 0; k < n_lines_; ++k) {
    Line line = draw_line(rng);
    bool usable = count_left(node, line);
    for (int draw = 0; draw < max_redraws && !usable; ++draw) {
      line = draw_line(rng);
      usable = count_left(node, line);
    }
    if (!usable) continue;
    auto const number = static_cast<Code>(lines.size());
    lines.push_back(std::move(line));
    if (any_missing) {
      with_missing_.resize(left_.size());
      for (std::size_t j = 0; j < left_.size(); ++j) with_missing_[j] = left_[j] + missing_[j];
      candidates.propose(with_missing_.data(), NumericTag{number, true, true}.pack());
    }
    candidates.propose(left_.data(), NumericTag{number, false, any_missing}.pack());
  }
  result.best = candidates.finish_feature();
  if (result.best.found) result.split = split_of(lines[NumericTag::unpack(result.best.tag).cut], result.best);
  return result;
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
