// Grows the subtrees of nodes that are small enough for their rows to be gathered in one place (see parts.hpp).
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "rarewood/monitor.hpp"
#include "rarewood/plan.hpp"
#include "rarewood/subtree.hpp"
#include "rarewood/table_shape.hpp"

namespace rarewood {

// The subtree of each task; `blocks`: what the parts gathered for the same tasks, in the order of the parts.
std::vector<Subtree> grow_gathered(TableShape const& shape, ForestPlan const& plan, std::string_view tasks,
                                   std::span<std::string_view const> blocks, unsigned n_threads, Monitor& monitor);

}  // namespace rarewood
