#include "rarewood/prune.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "leaf_table.hpp"
#include "normal_quantile.hpp"

namespace rarewood {

double pessimistic_extra_errors(double cases, double errors, double confidence) {
  if (errors < 1.0) {
    double const base = cases * (1.0 - std::pow(confidence, 1.0 / cases));
    if (errors == 0.0) return base;
    return base + errors * (pessimistic_extra_errors(cases, 1.0, confidence) - base);
  }
  if (errors + 0.5 >= cases) return std::max(cases - errors, 0.0);
  // Upper end of the normal approximation to the binomial, with continuity correction.
  double const z = normal_quantile(1.0 - confidence);
  double const f = (errors + 0.5) / cases;
  double const r =
      (f + z * z / (2.0 * cases) + z * std::sqrt(f / cases - f * f / cases + z * z / (4.0 * cases * cases))) / (1.0 + z * z / cases);
  return r * cases - errors;
}

namespace {

double upper_errors(double const* counts, std::size_t n_classes, double confidence) {
  double const total = std::accumulate(counts, counts + n_classes, 0.0);
  if (total <= 0.0) return 0.0;
  double const errors = total - *std::max_element(counts, counts + n_classes);
  return errors + pessimistic_extra_errors(total, errors, confidence);
}

// Copies the nodes that are still reachable; `becomes_leaf` cuts the rest off.
class Rebuild {
 public:
  Rebuild(Tree const& tree, std::vector<double> const& table, std::vector<char> const& becomes_leaf)
      : old_(tree), table_(table), becomes_leaf_(becomes_leaf), leaves_(tree.leaf_stride()) {}

  Tree run() {
    new_.n_features = old_.n_features;
    new_.n_classes = old_.n_classes;
    new_.importances = old_.importances;
    new_.nodes.resize(1);
    std::vector<std::pair<std::size_t, std::size_t>> pending{{0, 0}};  // old node, new node
    while (!pending.empty()) {
      auto const [from, to] = pending.back();
      pending.pop_back();
      Node node = old_.nodes[from];
      if (becomes_leaf_[from] != 0) {
        new_.nodes[to] = {SplitKind::leaf, 0, true, 0.0, leaves_.add(row(from))};
        continue;
      }
      std::uint32_t const first = node.first_child;
      std::uint32_t const n_children = old_.n_children(node);
      node.first_child = static_cast<std::uint32_t>(new_.nodes.size());
      copy_pool(node, from);
      new_.nodes[to] = node;
      new_.nodes.resize(new_.nodes.size() + n_children);
      for (std::uint32_t c = 0; c < n_children; ++c) pending.emplace_back(first + c, node.first_child + c);
    }
    new_.leaf_table = leaves_.take();
    return std::move(new_);
  }

 private:
  std::span<double const> row(std::size_t node) const { return {table_.data() + node * old_.leaf_stride(), old_.leaf_stride()}; }

  // `parts`: 2 for a map, whose codes are followed by as many places.
  std::uint32_t copy_list(std::uint32_t index, std::uint32_t parts) {
    if (index == Hyperplane::no_map) return index;
    CategoryList list = old_.category_lists[index];
    auto const from = old_.category_pool.begin() + list.begin;
    list.begin = static_cast<std::uint32_t>(new_.category_pool.size());
    new_.category_pool.insert(new_.category_pool.end(), from, from + parts * list.size);
    new_.category_lists.push_back(list);
    return static_cast<std::uint32_t>(new_.category_lists.size() - 1);
  }

  void copy_pool(Node& node, std::size_t from) {
    if (node.kind() == SplitKind::subset || node.kind() == SplitKind::multiway) {
      node.threshold = static_cast<double>(copy_list(static_cast<std::uint32_t>(node.pool_index()), 1));
      if (node.kind() == SplitKind::multiway) new_.category_lists.back().leaf_row = leaves_.add(row(from));
    } else if (node.kind() == SplitKind::hyperplane) {
      Hyperplane plane = old_.hyperplanes[node.pool_index()];
      plane.map_a = copy_list(plane.map_a, 2);
      plane.map_b = copy_list(plane.map_b, 2);
      node.threshold = static_cast<double>(new_.hyperplanes.size());
      new_.hyperplanes.push_back(plane);
    }
  }

  Tree const& old_;
  std::vector<double> const& table_;
  std::vector<char> const& becomes_leaf_;
  LeafTable leaves_;
  Tree new_;
};

}  // namespace

Tree prune_pessimistic(Tree const& tree, double confidence) {
  std::vector<double> const table = node_table(tree);
  std::vector<double> errors(tree.nodes.size());
  std::vector<char> becomes_leaf(tree.nodes.size(), 0);
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {  // children come after their parents
    Node const& node = tree.nodes[i];
    double const as_leaf = upper_errors(table.data() + i * tree.leaf_stride(), tree.n_classes, confidence);
    double as_subtree = 0.0;
    for (std::uint32_t c = 0; c < tree.n_children(node); ++c) as_subtree += errors[node.first_child + c];
    becomes_leaf[i] = node.kind() == SplitKind::leaf || as_leaf <= as_subtree + 0.1 ? 1 : 0;
    errors[i] = becomes_leaf[i] != 0 ? as_leaf : as_subtree;
  }
  return Rebuild(tree, table, becomes_leaf).run();
}

}  // namespace rarewood
