#include "samples/draws.hpp"

#include <stdexcept>
#include <string>

namespace rarewood {

namespace {

struct Flags {
  std::vector<bool> set;

  bool has(std::size_t i) const { return set[i]; }
  void add(std::size_t i) { set[i] = true; }
};

std::size_t n_left_out(std::size_t n_groups) { return n_groups < 2 ? 0 : std::clamp<std::size_t>((n_groups + 2) / 5, 1, n_groups - 1); }

}  // namespace

std::vector<bool> groups_left_out(ForestPlan const& plan, std::size_t tree) {
  Flags left_out{std::vector<bool>(std::accumulate(plan.strata.begin(), plan.strata.end(), std::size_t{0}), false)};
  Rng rng = group_stream(plan, tree);
  std::size_t begin = 0;
  for (std::size_t const n_groups : plan.strata) {
    draw_without_replacement(left_out, begin, n_groups, n_left_out(n_groups), rng);
    begin += n_groups;
  }
  return std::move(left_out.set);
}

void check_groups(ForestPlan const& plan, std::span<std::uint32_t const> groups, std::size_t n_rows) {
  if (groups.size() != n_rows)
    throw std::invalid_argument("there are " + std::to_string(n_rows) + " rows but " + std::to_string(groups.size()) + " groups of rows");
  std::size_t const n_groups = std::accumulate(plan.strata.begin(), plan.strata.end(), std::size_t{0});
  if (std::any_of(groups.begin(), groups.end(), [n_groups](std::uint32_t group) { return group >= n_groups; }))
    throw std::invalid_argument("a row is in a group that no stratum has");
}

void check_draws(ForestPlan const& plan, std::span<std::size_t const> class_begin) {
  if (plan.sampling != Sampling::subsample) return;
  std::vector<std::size_t> const& wanted = plan.class_sizes;
  std::size_t const n_classes = class_begin.size() - 1;
  if (wanted.size() != n_classes)
    throw std::invalid_argument("sampling 'subsample' needs one of class_sizes per class: there are " + std::to_string(n_classes) +
                                " classes and " + std::to_string(wanted.size()) + " sizes");
  for (std::size_t j = 0; j < n_classes; ++j) {
    std::size_t const size = class_begin[j + 1] - class_begin[j];
    if (wanted[j] > size)
      throw std::invalid_argument("class_sizes asks for " + std::to_string(wanted[j]) + " rows of class " + std::to_string(j) +
                                  ", which has " + std::to_string(size) + " of positive weight");
  }
  if (std::all_of(wanted.begin(), wanted.end(), [](std::size_t size) { return size == 0; }))
    throw std::invalid_argument("class_sizes asks for no row of any class");
}

}  // namespace rarewood
