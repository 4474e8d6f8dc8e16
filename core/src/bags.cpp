#include "bags.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "tree_streams.hpp"

namespace rarewood {

namespace {

// How often each row was drawn. Where only the fact counts, a RowSet does as well.
struct Times {
  std::vector<std::uint32_t> of_row;

  bool has(std::size_t row) const { return of_row[row] != 0; }
  void add(std::size_t row) { ++of_row[row]; }
};

// `n_draws` from the `size` rows from `begin` on.
template <class Tally>
void draw_with_replacement(Tally& tally, std::size_t begin, std::size_t size, std::size_t n_draws, Rng& rng) {
  for (std::size_t i = 0; i < n_draws && size > 0; ++i) tally.add(begin + rng.below(static_cast<std::uint32_t>(size)));
}

// Every set of n_draws rows with the same chance (Floyd's algorithm: Bentley and Floyd, A sample of brilliance, CACM 30, 1987).
template <class Tally>
void draw_without_replacement(Tally& tally, std::size_t begin, std::size_t size, std::size_t n_draws, Rng& rng) {
  for (std::size_t last = size - n_draws; last < size; ++last) {
    std::size_t const drawn = rng.below(static_cast<std::uint32_t>(last + 1));
    tally.add(begin + (tally.has(begin + drawn) ? last : drawn));
  }
}

}  // namespace

Bags::Bags(Dataset const& table, ForestPlan const& plan) : table_(table), plan_(plan) {
  if (!plan.groups.empty()) regrouped_ = table.regrouped(plan.groups);
  if (plan.sampling == Sampling::all) return;
  if (!plan.weights.empty()) Sample::of(data(), plan.weights);  // throws when they are unusable
  for (std::size_t j = 0; j < data().n_classes(); ++j) {
    class_begin_.push_back(positions_.size());
    for (std::size_t i = data().class_begin(j); i < data().class_end(j); ++i) {
      Position const position = data().position(i);
      if (plan.weights.empty() || plan.weights[data().original_row(position)] > 0.0) positions_.push_back(position);
    }
  }
  class_begin_.push_back(positions_.size());
  check_sizes();
}

Sample Bags::sample(std::size_t tree) const {
  if (plan_.sampling == Sampling::all) return Sample::of(data(), plan_.weights);
  Times times{std::vector<std::uint32_t>(positions_.size(), 0)};
  draw(tree, times);
  Sample sample;
  for (std::size_t j = 0; j < n_classes(); ++j) {
    sample.class_begin.push_back(sample.positions.size());
    for (std::size_t i = class_begin_[j]; i < class_begin_[j + 1]; ++i) {
      if (!times.has(i)) continue;
      sample.add(positions_[i], plan_.weights.empty() ? 1.0 : plan_.weights[data().original_row(positions_[i])], times.of_row[i]);
    }
  }
  sample.class_begin.push_back(sample.positions.size());
  sample.forget_unit_weights();
  return sample;
}

std::vector<std::uint32_t> Bags::times_drawn(std::size_t tree) const {
  std::vector<std::uint32_t> by_row(table_.n_rows(), 0);
  if (plan_.sampling == Sampling::all) {
    for (Position position : Sample::of(data(), plan_.weights).positions) by_row[table_.original_row(position)] = 1;
    return by_row;
  }
  Times times{std::vector<std::uint32_t>(positions_.size(), 0)};
  draw(tree, times);
  for (std::size_t i = 0; i < positions_.size(); ++i) by_row[table_.original_row(positions_[i])] = times.of_row[i];
  return by_row;
}

RowSet Bags::unseen(std::size_t tree) const {
  RowSet rows = RowSet::all(table_.n_rows());
  if (plan_.sampling == Sampling::all) {
    for (Position position : Sample::of(data(), plan_.weights).positions) rows.remove(table_.original_row(position));
    return rows;
  }
  RowSet drawn(positions_.size());
  draw(tree, drawn);
  for (std::size_t i = 0; i < positions_.size(); ++i) rows.remove(table_.original_row(positions_[i]), drawn.has(i));
  return rows;
}

// Adds each draw, as a place in `positions_`.
template <class Tally>
void Bags::draw(std::size_t tree, Tally& tally) const {
  Rng rng = sampling_stream(plan_, tree);
  if (plan_.sampling == Sampling::bootstrap) return draw_with_replacement(tally, 0, positions_.size(), positions_.size(), rng);
  std::size_t const smallest = smallest_class();
  for (std::size_t j = 0; j < n_classes(); ++j) {
    switch (plan_.sampling) {
      case Sampling::subsample: draw_without_replacement(tally, class_begin_[j], class_size(j), plan_.class_sizes[j], rng); break;
      case Sampling::balanced: draw_with_replacement(tally, class_begin_[j], class_size(j), smallest, rng); break;
      default: draw_with_replacement(tally, class_begin_[j], class_size(j), class_size(j), rng);
    }
  }
}

std::size_t Bags::smallest_class() const {
  std::size_t smallest = positions_.size();
  for (std::size_t j = 0; j < n_classes(); ++j) {
    if (class_size(j) > 0) smallest = std::min(smallest, class_size(j));
  }
  return smallest;
}

void Bags::check_sizes() const {
  std::vector<std::size_t> const& sizes = plan_.class_sizes;
  if (plan_.sampling != Sampling::subsample) return;
  if (sizes.size() != n_classes())
    throw std::invalid_argument("sampling 'subsample' needs one of class_sizes per class: there are " + std::to_string(n_classes()) +
                                " classes and " + std::to_string(sizes.size()) + " sizes");
  for (std::size_t j = 0; j < n_classes(); ++j) {
    if (sizes[j] > class_size(j))
      throw std::invalid_argument("class_sizes asks for " + std::to_string(sizes[j]) + " rows of class " + std::to_string(j) +
                                  ", which has " + std::to_string(class_size(j)) + " of positive weight");
  }
  if (std::all_of(sizes.begin(), sizes.end(), [](std::size_t size) { return size == 0; }))
    throw std::invalid_argument("class_sizes asks for no row of any class");
}

}  // namespace rarewood
