#include "growth/tree_writer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace rarewood {

TreeWriter::TreeWriter(std::size_t n_features, std::size_t n_classes) : leaves_(n_classes + 1) {
  tree_.n_features = n_features;
  tree_.n_classes = n_classes;
}

std::uint32_t TreeWriter::add_nodes(std::size_t n) {
  auto const first = static_cast<std::uint32_t>(tree_.nodes.size());
  tree_.nodes.resize(tree_.nodes.size() + n);
  return first;
}

std::uint32_t TreeWriter::write_split(std::uint32_t node, NodeTest const& test, std::size_t n_children) {
  Node stored = std::visit([this](auto const& kind) { return kind.write(*this); }, test);
  stored.first_child = add_nodes(n_children);
  tree_.nodes[node] = stored;
  return stored.first_child;
}

void TreeWriter::add_gain(std::uint32_t node, double weight, double improvement) {
  gains_.push_back({node, weight, std::isfinite(improvement) && improvement > 0.0 ? improvement : 0.0});
}

std::uint32_t TreeWriter::add_list(std::span<Code const> codes, std::span<Code const> behind_codes, std::uint32_t missing_child,
                                   std::uint32_t leaf_row) {
  std::vector<Code>& pool = tree_.category_pool;
  tree_.category_lists.push_back(
      {static_cast<std::uint32_t>(pool.size()), static_cast<std::uint32_t>(codes.size()), missing_child, leaf_row});
  pool.insert(pool.end(), codes.begin(), codes.end());
  pool.insert(pool.end(), behind_codes.begin(), behind_codes.end());
  return static_cast<std::uint32_t>(tree_.category_lists.size() - 1);
}

Tree TreeWriter::finish(bool in_visiting_order) {
  if (in_visiting_order) return finish_with(sum_of_gains());
  put_gains_in_visiting_order();
  return rewritten(finish_with(sum_of_gains()), {}, {});
}

Tree TreeWriter::finish_with(std::vector<double> importances) {
  tree_.leaf_table = leaves_.take();
  tree_.importances = std::move(importances);
  return std::move(tree_);
}

void TreeWriter::put_gains_in_visiting_order() {
  std::vector<std::uint32_t> rank(tree_.nodes.size());
  std::vector<std::uint32_t> pending{0};
  for (std::uint32_t next = 0; !pending.empty(); ++next) {
    Node const& node = tree_.nodes[pending.back()];
    rank[pending.back()] = next;
    pending.pop_back();
    for (std::uint32_t c = tree_.n_children(node); c-- > 0;) pending.push_back(node.first_child + c);
  }
  std::sort(gains_.begin(), gains_.end(), [&](SplitGain const& a, SplitGain const& b) { return rank[a.node] < rank[b.node]; });
}

// A criterion whose scores never rise above "no split" still chose features: the weight they split tells how much they mattered.
std::vector<double> TreeWriter::sum_of_gains() const {
  std::vector<double> importances(tree_.n_features, 0.0);
  for (SplitGain const& gain : gains_) importances[tree_.nodes[gain.node].feature()] += gain.weight * gain.improvement;
  if (std::accumulate(importances.begin(), importances.end(), 0.0) == 0.0) {
    for (SplitGain const& gain : gains_) importances[tree_.nodes[gain.node].feature()] += gain.weight;
  }
  return importances;
}

namespace {

// Rows of counts of some classes as rows of all classes; cases stand behind both.
class WideRows {
 public:
  // classes: the number of each of theirs among all; empty: they are all.
  WideRows(std::span<std::uint32_t const> classes, std::size_t stride) : classes_(classes), row_(classes.empty() ? 0 : stride, 0.0) {}

  // Valid until the next call.
  std::span<double const> of(std::span<double const> row) {
    if (classes_.empty()) return row;
    for (std::size_t j = 0; j < classes_.size(); ++j) row_[classes_[j]] = row[j];
    row_.back() = row.back();
    return row_;
  }

 private:
  std::span<std::uint32_t const> classes_;
  std::vector<double> row_;
};

// Copies nodes in visiting order, the root of `tree` to node `at` of the writer. Returns where each went.
std::vector<std::uint32_t> copy_nodes(Tree const& tree, std::span<double const> table, std::span<char const> becomes_leaf, WideRows wide,
                                      TreeWriter& writer, std::uint32_t at) {
  std::vector<std::uint32_t> copies(tree.nodes.size(), 0);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pending{{0, at}};  // old node, new node
  while (!pending.empty()) {
    auto const [from, to] = pending.back();
    pending.pop_back();
    copies[from] = to;
    Node const& node = tree.nodes[from];
    if (node.is_leaf()) {
      writer.write_leaf(to, wide.of({tree.leaf_row(node.first_child), tree.leaf_stride()}));
    } else if (!becomes_leaf.empty() && becomes_leaf[from] != 0) {
      writer.write_leaf(to, table.subspan(from * tree.leaf_stride(), tree.leaf_stride()));
    } else {
      std::uint32_t const n_children = tree.n_children(node);
      std::uint32_t const first =
          visit_kind(node, 0U, [&, place = to]<class Kind>(std::type_identity<Kind>) {  // Clang 14 captures no bindings
            Kind test = Kind::read(tree, node);
            if constexpr (requires { test.counts; }) {
              std::span<double const> const counts = wide.of(test.counts);
              test.counts.assign(counts.begin(), counts.end());
            }
            return writer.write_split(place, test, n_children);
          });
      for (std::uint32_t c = n_children; c-- > 0;) pending.emplace_back(node.first_child + c, first + c);
    }
  }
  return copies;
}

}  // namespace

void TreeWriter::graft(std::uint32_t node, Tree const& tree, std::span<SplitGain const> gains, std::span<std::uint32_t const> classes) {
  std::vector<std::uint32_t> const copies = copy_nodes(tree, {}, {}, WideRows(classes, tree_.leaf_stride()), *this, node);
  for (SplitGain const& gain : gains) gains_.push_back({copies[gain.node], gain.weight, gain.improvement});
}

Tree rewritten(Tree const& tree, std::span<double const> table, std::span<char const> becomes_leaf) {
  TreeWriter writer(tree.n_features, tree.n_classes);
  copy_nodes(tree, table, becomes_leaf, WideRows({}, tree.leaf_stride()), writer, writer.add_nodes(1));
  return writer.finish_with(tree.importances);
}

}  // namespace rarewood
