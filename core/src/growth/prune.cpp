#include "rarewood/prune.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "growth/normal_quantile.hpp"
#include "growth/tree_writer.hpp"

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
    becomes_leaf[i] = node.is_leaf() || as_leaf <= as_subtree + 0.1 ? 1 : 0;
    errors[i] = becomes_leaf[i] != 0 ? as_leaf : as_subtree;
  }
  return rewritten(tree, table, becomes_leaf);
}

}  // namespace rarewood
