#include "bags.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "tree_streams.hpp"

namespace rarewood {

namespace {

void draw_with_replacement(std::span<std::uint32_t> times, std::size_t n, Rng& rng) {
  for (std::size_t i = 0; i < n && !times.empty(); ++i) ++times[rng.below(static_cast<std::uint32_t>(times.size()))];
}

// Every set of n rows with the same chance (Floyd's algorithm: Bentley and Floyd, A sample of brilliance, CACM 30, 1987).
void draw_without_replacement(std::span<std::uint32_t> times, std::size_t n, Rng& rng) {
  for (std::size_t last = times.size() - n; last < times.size(); ++last) {
    std::size_t const drawn = rng.below(static_cast<std::uint32_t>(last + 1));
    times[times[drawn] == 0 ? drawn : last] = 1;
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
  std::vector<std::uint32_t> const times = draw(tree);
  Sample sample;
  for (std::size_t j = 0; j < n_classes(); ++j) {
    sample.class_begin.push_back(sample.positions.size());
    for (std::size_t i = class_begin_[j]; i < class_begin_[j + 1]; ++i) {
      if (times[i] == 0) continue;
      sample.add(positions_[i], plan_.weights.empty() ? 1.0 : plan_.weights[data().original_row(positions_[i])], times[i]);
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
  std::vector<std::uint32_t> const times = draw(tree);
  for (std::size_t i = 0; i < times.size(); ++i) by_row[table_.original_row(positions_[i])] = times[i];
  return by_row;
}

// How often each of `positions_` is drawn.
std::vector<std::uint32_t> Bags::draw(std::size_t tree) const {
  Rng rng = sampling_stream(plan_, tree);
  std::vector<std::uint32_t> times(positions_.size(), 0);
  if (plan_.sampling == Sampling::bootstrap) {
    draw_with_replacement(times, times.size(), rng);
    return times;
  }
  std::size_t const smallest = smallest_class();
  for (std::size_t j = 0; j < n_classes(); ++j) {
    std::span<std::uint32_t> const rows(times.data() + class_begin_[j], class_size(j));
    switch (plan_.sampling) {
      case Sampling::subsample: draw_without_replacement(rows, plan_.class_sizes[j], rng); break;
      case Sampling::balanced: draw_with_replacement(rows, smallest, rng); break;
      default: draw_with_replacement(rows, rows.size(), rng);
    }
  }
  return times;
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
