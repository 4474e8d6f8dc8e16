#include "search/splitters/line_drawing.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace rarewood {

namespace {

// Through two different points u, v of the box: normal (d_2, -d_1) for the direction d = v - u, left iff normal . x <= normal . u.
// The normal is scaled so that its second part is 1 or -1.
[[gnu::always_inline]] inline Line drawn_in(double from_a, double to_a, double from_b, double to_b, Rng& rng) {
  auto const coordinate = [&rng](double from, double to) { return from + rng.uniform() * (to - from); };
  double const u_a = coordinate(from_a, to_a);
  double const u_b = coordinate(from_b, to_b);
  double const d_b = coordinate(from_b, to_b) - u_b;
  double const d_a = coordinate(from_a, to_a) - u_a;
  double const weight_a = d_b / std::abs(d_a);
  double const weight_b = std::copysign(1.0, -d_a);  // nobody could foresee the branch
  return {weight_a, weight_b, weight_a * u_a + weight_b * u_b};
}

}  // namespace

void LineDrawing::begin(std::size_t n_lines, Key key) {
  rng_ = Rng(key);
  n_draws_ = 0;
  lines_.resize(n_lines);
  usable_.assign(n_lines, 0);
}

void LineDrawing::begin_orders(std::vector<Code> const& categories, std::vector<Code>& last, LineOrders& orders, LineOrders& spare) const {
  last.assign(categories.begin(), categories.end());
  if (categories.empty() != orders.empty()) orders.swap(spare);  // keeps its memory for the next column of categories
  if (categories.empty()) {
    orders.clear();
  } else {
    orders.resize(lines_.size());
  }
}

bool LineDrawing::draw(Box const& box, LineCounts const& counts) {
  if (n_draws_ == 0) {
    begin_orders(box.a.categories, last_a_, orders_a_, spare_a_);
    begin_orders(box.b.categories, last_b_, orders_b_, spare_b_);
  } else {
    for (std::size_t k : to_count_) usable_[k] = is_usable(lines_[k], counts.rows[k], static_cast<double>(box.n_rows)) ? 1 : 0;
  }
  to_count_.clear();
  if (n_draws_++ > max_redraws) return false;
  double const from_a = box.a.from(), to_a = box.a.to(), from_b = box.b.from(), to_b = box.b.to();
  Rng rng = rng_;
  for (std::size_t k = 0; k < lines_.size(); ++k) {
    if (usable_[k] == 0) to_count_.push_back(k);
  }
  if (orders_a_.empty() && orders_b_.empty()) {
    for (std::size_t k : to_count_) lines_[k] = drawn_in(from_a, to_a, from_b, to_b, rng);
    rng_ = rng;
    return !to_count_.empty();
  }
  for (std::size_t k : to_count_) {
    shuffle(last_a_);
    shuffle(last_b_);
    lines_[k] = drawn_in(from_a, to_a, from_b, to_b, rng_);
    if (!orders_a_.empty()) orders_a_[k] = last_a_;
    if (!orders_b_.empty()) orders_b_[k] = last_b_;
  }
  return !to_count_.empty();
}

void LineDrawing::shuffle(std::vector<Code>& categories) {
  Rng rng = rng_;
  for (std::size_t i = categories.size(); i > 1; --i) std::swap(categories[i - 1], categories[rng.below(static_cast<std::uint32_t>(i))]);
  rng_ = rng;
}

bool LineDrawing::is_usable(Line const& line, double n_left, double n_rows) {
  return std::isfinite(line.weight_a) && std::isfinite(line.offset) && n_left > 0.0 && n_left < n_rows;
}

BestCandidate LineDrawing::consider(Box const& box, LineCounts const& counts, Candidates& candidates) {
  bool const all_usable = std::find(usable_.begin(), usable_.end(), 0) == usable_.end();
  if (all_usable && !box.any_missing() && !candidates.restrained()) {
    candidates.propose_all(counts.left.counts.data(), lines_.size(), NumericTag{0, false, false}.pack());
  } else {
    for (std::size_t k = 0; k < lines_.size(); ++k) {
      if (usable_[k] != 0) propose(k, box, counts, candidates);
    }
  }
  return candidates.finish_column();
}

void LineDrawing::propose(std::size_t line, Box const& box, LineCounts const& counts, Candidates& candidates) {
  std::vector<double> const& missing = box.missing;
  one_.resize(missing.size());
  for (std::size_t j = 0; j < missing.size(); ++j) one_[j] = counts.left.of(j)[line];
  auto const cut = static_cast<Code>(line);
  candidates.face(candidates.along_line(lines_[line].weight_a, lines_[line].weight_b));
  if (box.any_missing()) {
    candidates.propose_both_sides(one_.data(), missing.data(), cut);
  } else {
    candidates.propose(one_.data(), NumericTag{cut, false, false}.pack());
  }
}

Split LineDrawing::split_of(Request const& request, BestCandidate const& best, std::span<std::uint8_t const> sides) const {
  std::size_t const k = line_of(best.tag);
  Line const& line = lines_[k];
  std::span<Code const> const a = asked().order_a(k), b = asked().order_b(k);
  return Plane::Split{request.feature,
                      request.other,
                      line.weight_a,
                      line.weight_b,
                      line.offset,
                      {a.begin(), a.end()},
                      {b.begin(), b.end()},
                      NumericTag::unpack(best.tag).missing(),
                      sides};
}

}  // namespace rarewood
