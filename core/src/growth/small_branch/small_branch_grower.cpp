#include "growth/small_branch/small_branch_grower.hpp"

#include <algorithm>
#include <utility>

#include "growth/stopping.hpp"
#include "search/node_keys.hpp"

namespace rarewood {

SmallBranchGrower::SmallBranchGrower(Dataset const& data, NodeSearch& search, Scorer const& scorer, GrowthOptions const& options)
    : options_(options),
      search_(search),
      rows_(data, search.class_weights()),
      row_search_(data, options.n_cuts),
      possible_(options.shortcuts && options.splitter == Splitter::random && data.n_classes() > 2 && !scorer.is_slow() &&
                !scorer.traits().quinlan_selection && SmallBranchRows::can_hold(data)),
      copied_(data.n_features()),
      tried_(options.max_features == 0 ? data.n_features() : options.max_features) {}

// There are about as many nodes to come as rows outside the largest class; a column of a node searched here saves the time of copying so
// many cells.
bool SmallBranchGrower::pays(NodeRows const& node) const {
  constexpr double cells_per_search = 30.0;
  if (!possible_ || node.size() > SmallBranchRows::most || !node.weights.empty()) return false;
  double const largest = *std::max_element(node.totals.begin(), node.totals.end() - 1);
  double const searches = (node.cases() - largest) * static_cast<double>(tried_);
  return searches * cells_per_search >= node.cases() * static_cast<double>(copied_);
}

void SmallBranchGrower::grow(NodeRows const& node, std::uint32_t at, std::size_t depth, Key key, ColumnSet features, TreeWriter& writer) {
  SmallBranchRows::Span const all = rows_.take(node, features);
  waiting_.push_back({at, all, depth, key, std::move(features)});
  while (!waiting_.empty()) {
    Pending pending = std::move(waiting_.back());
    waiting_.pop_back();
    rows_.enter(pending.rows);
    if (!split(pending, writer)) writer.write_leaf(pending.node, rows_.leaf_counts());
  }
}

bool SmallBranchGrower::split(Pending& pending, TreeWriter& writer) {
  if (must_be_leaf(options_, pending.depth, rows_.sections().size(), pending.features.size(), rows_.totals().back())) return false;
  search_.begin(state_, rows_.totals(), true, std::move(pending.features), pending.key);
  std::optional<Split> const found = row_search_.find(search_, state_, rows_);
  if (!found) return false;
  NodeTest const test = std::get<Threshold::Split>(*found).divide(rows_);
  writer.add_gain(pending.node, search_.node_weight(), row_search_.improvement());
  std::uint32_t const first = writer.write_split(pending.node, test, 2);
  for (std::uint32_t c = 2; c-- > 0;)
    waiting_.push_back({first + c, rows_.children()[c], pending.depth + 1, child_key(pending.key, c), state_.features});
  return true;
}

}  // namespace rarewood
