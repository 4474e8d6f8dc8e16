#include "samples/tree_samples.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "samples/draws.hpp"

namespace rarewood {

namespace {

// How often each row was drawn. Where only the fact counts, a RowSet does as well.
struct Times {
  std::vector<std::uint32_t> of_row;

  bool has(std::size_t row) const { return of_row[row] != 0; }
  void add(std::size_t row) { ++of_row[row]; }
};

// Times where few rows are drawn: rows that are not drawn take one bit each.
struct FewTimes {
  RowSet drawn;
  std::vector<std::size_t> again;  // every further time

  bool has(std::size_t row) const { return drawn.has(row); }
  void add(std::size_t row) {
    if (drawn.has(row)) again.push_back(row);
    drawn.add(row);
  }
};

}  // namespace

TreeSamples::TreeSamples(Dataset const& table, ForestPlan const& plan) : table_(table), plan_(plan) {
  if (!plan.class_map.empty()) relabelled_ = table.relabelled(plan.class_map);
  if (!plan.groups.empty()) check_groups(plan, plan.groups, table.n_rows());
  if (sees_all()) return;
  if (!plan.weights.empty()) Sample::of(data(), plan.weights);  // throws when they are unusable
  for (std::size_t j = 0; j < data().n_classes(); ++j) {
    class_begin_.push_back(positions_.size());
    for (std::size_t i = data().class_begin(j); i < data().class_end(j); ++i) {
      Position const position = data().position(i);
      if (plan.weights.empty() || plan.weights[data().original_row(position)] > 0.0) positions_.push_back(position);
    }
  }
  class_begin_.push_back(positions_.size());
  check_draws(plan, class_begin_);
}

template <class Visit>
void TreeSamples::for_each_drawn(std::size_t tree, Visit visit) const {
  std::vector<bool> const left_out = groups_left_out(plan_, tree);
  auto const see = [&](std::size_t i, std::uint32_t times) {
    if (plan_.groups.empty() || !left_out[plan_.groups[table_.original_row(positions_[i])]]) visit(i, times);
  };
  if (plan_.sampling == Sampling::all) {
    for (std::size_t i = 0; i < positions_.size(); ++i) see(i, 1);
  } else if (draws_few()) {
    FewTimes times{RowSet(positions_.size()), {}};
    draw_rows(plan_, tree, class_begin_, times);
    std::sort(times.again.begin(), times.again.end());
    auto next = times.again.begin();
    times.drawn.for_each(0, positions_.size(), [&](std::size_t i) {
      auto const first = next;
      while (next != times.again.end() && *next == i) ++next;
      see(i, 1 + static_cast<std::uint32_t>(next - first));
    });
  } else {
    Times times{std::vector<std::uint32_t>(positions_.size(), 0)};
    draw_rows(plan_, tree, class_begin_, times);
    for (std::size_t i = 0; i < positions_.size(); ++i) {
      if (times.has(i)) see(i, times.of_row[i]);
    }
  }
}

Sample TreeSamples::sample(std::size_t tree) const {
  if (sees_all()) return Sample::of(data(), plan_.weights);
  Sample sample;
  std::size_t cls = 0;
  auto const enter_class_of = [&](std::size_t i) {
    for (; cls < n_classes() && class_begin_[cls] <= i; ++cls) sample.class_begin.push_back(sample.positions.size());
  };
  for_each_drawn(tree, [&](std::size_t i, std::uint32_t times) {
    enter_class_of(i);
    sample.add(positions_[i], plan_.weights.empty() ? 1.0 : plan_.weights[data().original_row(positions_[i])], times);
  });
  enter_class_of(positions_.size());
  sample.class_begin.push_back(sample.positions.size());
  sample.forget_unit_weights();
  return sample;
}

bool TreeSamples::draws_few() const {
  if (plan_.sampling == Sampling::subsample) return true;  // none of them twice
  return 4 * most_rows_drawn(plan_, class_begin_) <= positions_.size();
}

std::vector<std::uint32_t> TreeSamples::times_drawn(std::size_t tree) const {
  std::vector<std::uint32_t> by_row(table_.n_rows(), 0);
  if (sees_all()) {
    for (Position position : Sample::of(data(), plan_.weights).positions) by_row[table_.original_row(position)] = 1;
  } else {
    for_each_drawn(tree, [&](std::size_t i, std::uint32_t times) { by_row[table_.original_row(positions_[i])] = times; });
  }
  return by_row;
}

RowSet TreeSamples::out_of_bag(std::size_t tree) const {
  if (!plan_.groups.empty()) {
    std::vector<bool> const left_out = groups_left_out(plan_, tree);
    RowSet rows(table_.n_rows());
    for (std::size_t row = 0; row < table_.n_rows(); ++row) {
      if (left_out[plan_.groups[row]]) rows.add(row);
    }
    return rows;
  }
  RowSet rows = RowSet::all(table_.n_rows());
  if (plan_.sampling == Sampling::all) {
    for (Position position : Sample::of(data(), plan_.weights).positions) rows.remove(table_.original_row(position));
    return rows;
  }
  RowSet drawn(positions_.size());
  draw_rows(plan_, tree, class_begin_, drawn);
  for (std::size_t i = 0; i < positions_.size(); ++i) rows.remove(table_.original_row(positions_[i]), drawn.has(i));
  return rows;
}

}  // namespace rarewood
