#include "rarewood/splitters/line_drawing.hpp"

#include <cmath>
#include <utility>

namespace rarewood {

void LineDrawing::begin(std::size_t n_lines, Key key) {
  rng_ = Rng(key);
  n_draws_ = 0;
  lines_.resize(n_lines);
  usable_.assign(n_lines, 0);
}

bool LineDrawing::draw(Box const& box, LineCounts const& counts) {
  if (n_draws_ == 0) {
    order_a_.assign(box.a.categories.begin(), box.a.categories.end());
    order_b_.assign(box.b.categories.begin(), box.b.categories.end());
  } else {
    for (std::size_t k : to_count_) usable_[k] = is_usable(lines_[k], counts.rows[k], static_cast<double>(box.n_rows)) ? 1 : 0;
  }
  to_count_.clear();
  if (n_draws_++ > max_redraws) return false;
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    if (usable_[k] != 0) continue;
    draw_line(box, lines_[k]);
    to_count_.push_back(k);
  }
  return !to_count_.empty();
}

// Through two different points u, v of the box: normal (d_2, -d_1) for the direction d = v - u, left iff normal . x <= normal . u.
// The normal is scaled so that its second part is 1 or -1.
void LineDrawing::draw_line(Box const& box, Line& line) {
  shuffle(order_a_);
  shuffle(order_b_);
  auto const coordinate = [this](Box::Side const& side) { return side.from() + rng_.uniform() * (side.to() - side.from()); };
  double const u_a = coordinate(box.a);
  double const u_b = coordinate(box.b);
  double const d_b = coordinate(box.b) - u_b;
  double const d_a = coordinate(box.a) - u_a;
  line.weight_a = d_b / std::abs(d_a);
  line.weight_b = d_a > 0.0 ? -1.0 : 1.0;
  line.offset = line.weight_a * u_a + line.weight_b * u_b;
  line.map_a.assign(order_a_.begin(), order_a_.end());
  line.map_b.assign(order_b_.begin(), order_b_.end());
}

void LineDrawing::shuffle(std::vector<Code>& categories) {
  for (std::size_t i = categories.size(); i > 1; --i) std::swap(categories[i - 1], categories[rng_.below(static_cast<std::uint32_t>(i))]);
}

bool LineDrawing::is_usable(Line const& line, double n_left, double n_rows) {
  return std::isfinite(line.weight_a) && std::isfinite(line.offset) && n_left > 0.0 && n_left < n_rows;
}

BestCandidate LineDrawing::consider(Box const& box, LineCounts const& counts, Candidates& candidates) {
  bool const any_missing = box.any_missing();
  std::size_t const stride = box.missing.size();
  with_missing_.resize(stride);
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    if (usable_[k] == 0) continue;
    double const* const left = counts.left.data() + k * stride;
    if (any_missing) {
      for (std::size_t j = 0; j < stride; ++j) with_missing_[j] = left[j] + box.missing[j];
      candidates.propose(with_missing_.data(), NumericTag{static_cast<Code>(k), true, true}.pack());
    }
    candidates.propose(left, NumericTag{static_cast<Code>(k), false, any_missing}.pack());
  }
  return candidates.finish_feature();
}

}  // namespace rarewood
