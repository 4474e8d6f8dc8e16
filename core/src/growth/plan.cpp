#include "rarewood/plan.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace rarewood {

void ForestPlan::check() const {
  if (n_trees == 0) throw std::invalid_argument("a forest has at least one tree");
  if (criteria.empty()) throw std::invalid_argument("at least one criterion is needed");
  auto const is_known = [this](std::uint32_t criterion) { return criterion < criteria.size(); };
  if (!criterion_of_tree.empty() &&
      (criterion_of_tree.size() != n_trees || !std::all_of(criterion_of_tree.begin(), criterion_of_tree.end(), is_known)))
    throw std::invalid_argument("give one criterion, or one per tree");
  if ((sampling == Sampling::subsample) == class_sizes.empty())
    throw std::invalid_argument("class_sizes and sampling='subsample' need each other");
  if (strata.empty() && !groups.empty()) throw std::invalid_argument("groups need strata");
  if (growth.splitter != Splitter::best && growth.n_cuts == 0) throw std::invalid_argument("n_cuts must be at least 1");
}

ForestPlan ForestPlan::rest(std::size_t first) const {
  if (first >= n_trees)
    throw std::invalid_argument("nothing is left of a plan of " + std::to_string(n_trees) + " trees from tree " + std::to_string(first) +
                                " on");
  ForestPlan plan = *this;
  plan.n_trees -= first;
  plan.first_tree += first;
  if (!criterion_of_tree.empty())
    plan.criterion_of_tree.erase(plan.criterion_of_tree.begin(), plan.criterion_of_tree.begin() + static_cast<std::ptrdiff_t>(first));
  return plan;
}

}  // namespace rarewood
