// The rows a tree draws. Only the sizes of the classes matter, so a part of a table can repeat the draws of the whole. Where rows belong to
// groups, the draws of rows in groups that the tree leaves out do not count: a part has to know the groups of its own rows only.
#pragma once

#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

#include "samples/tree_streams.hpp"

namespace rarewood {

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

// Rows of the smallest class that has any.
inline std::size_t smallest_class(std::span<std::size_t const> class_begin) {
  std::size_t smallest = class_begin.back();
  for (std::size_t j = 0; j + 1 < class_begin.size(); ++j) {
    std::size_t const size = class_begin[j + 1] - class_begin[j];
    if (size > 0) smallest = std::min(smallest, size);
  }
  return smallest;
}

// How many rows a tree of the plan sees at most.
inline std::size_t most_rows_drawn(ForestPlan const& plan, std::span<std::size_t const> class_begin) {
  if (plan.sampling == Sampling::subsample) return std::accumulate(plan.class_sizes.begin(), plan.class_sizes.end(), std::size_t{0});
  if (plan.sampling == Sampling::balanced) return smallest_class(class_begin) * (class_begin.size() - 1);
  return class_begin.back();
}

// Which groups tree i of the plan leaves out: a fifth of each stratum, at least one, never all. Empty where rows do not belong to groups.
std::vector<bool> groups_left_out(ForestPlan const& plan, std::size_t tree);

// Throws std::invalid_argument unless there is a group for each row, and all are in strata.
void check_groups(ForestPlan const& plan, std::span<std::uint32_t const> groups, std::size_t n_rows);

// Throws std::invalid_argument unless every tree can draw what the plan asks for.
void check_draws(ForestPlan const& plan, std::span<std::size_t const> class_begin);

// Adds each draw of tree i of the plan, as a place among the rows that may be drawn: those of class j stand from class_begin[j] on.
template <class Tally>
void draw_rows(ForestPlan const& plan, std::size_t tree, std::span<std::size_t const> class_begin, Tally& tally) {
  Rng rng = sampling_stream(plan, tree);
  if (plan.sampling == Sampling::bootstrap) return draw_with_replacement(tally, 0, class_begin.back(), class_begin.back(), rng);
  auto const size_of = [&](std::size_t cls) { return class_begin[cls + 1] - class_begin[cls]; };
  std::size_t const n_classes = class_begin.size() - 1;
  std::size_t const smallest = smallest_class(class_begin);
  for (std::size_t j = 0; j < n_classes; ++j) {
    switch (plan.sampling) {
      case Sampling::subsample: draw_without_replacement(tally, class_begin[j], size_of(j), plan.class_sizes[j], rng); break;
      case Sampling::balanced: draw_with_replacement(tally, class_begin[j], size_of(j), smallest, rng); break;
      default: draw_with_replacement(tally, class_begin[j], size_of(j), size_of(j), rng);
    }
  }
}

}  // namespace rarewood
