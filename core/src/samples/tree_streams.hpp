// Random names of a tree, from the seed and its number: the rows it sees can be drawn again without growing it.
#pragma once

#include "base/rng.hpp"
#include "rarewood/plan.hpp"

namespace rarewood {

inline Rng sampling_stream(ForestPlan const& plan, std::size_t tree) { return {plan.seed, 2 * (plan.first_tree + tree)}; }

// Of the groups that it leaves out.
inline Rng group_stream(ForestPlan const& plan, std::size_t tree) { return Rng(Key(plan.seed, 2 * (plan.first_tree + tree)).branch(0)); }

inline Key growth_key(ForestPlan const& plan, std::size_t tree) { return {plan.seed, 2 * (plan.first_tree + tree) + 1}; }

}  // namespace rarewood
