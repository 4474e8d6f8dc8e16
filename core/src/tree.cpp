#include "rarewood/tree.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace rarewood {

std::uint32_t Tree::n_children(Node const& node) const {
  switch (node.kind()) {
    case SplitKind::leaf: return 0;
    case SplitKind::multiway: {
      CategoryList const& list = category_lists[node.pool_index()];
      return std::max(list.size, list.missing_child + 1);
    }
    default: return 2;
  }
}

std::size_t Tree::bytes() const {
  return sizeof *this + nodes.capacity() * sizeof(Node) + category_lists.capacity() * sizeof(CategoryList) +
         category_pool.capacity() * sizeof(Code) + hyperplanes.capacity() * sizeof(Hyperplane) +
         (leaf_table.capacity() + importances.capacity()) * sizeof(double);
}

namespace {

void require(bool condition, std::size_t node, char const* what) {
  if (!condition) throw std::invalid_argument("node " + std::to_string(node) + ": " + what);
}

bool is_index(double value, std::size_t size) { return value >= 0.0 && value < static_cast<double>(size) && value == std::floor(value); }

}  // namespace

void Tree::check() const {
  if (nodes.empty()) throw std::invalid_argument("a tree has at least one node");
  if (n_classes == 0 || leaf_table.empty() || leaf_table.size() % leaf_stride() != 0)
    throw std::invalid_argument("the leaf table does not fit the number of classes");
  if (!importances.empty() && importances.size() != n_features)
    throw std::invalid_argument("importances do not fit the number of features");
  for (double count : leaf_table) {
    if (!(count >= 0.0 && std::isfinite(count))) throw std::invalid_argument("counts must be finite and not negative");
  }
  std::size_t const n_rows = leaf_table.size() / leaf_stride();
  for (CategoryList const& list : category_lists) {
    if (list.begin > category_pool.size() || list.size > category_pool.size() - list.begin)
      throw std::invalid_argument("a category list leaves its pool");
  }
  auto const is_map = [&](std::uint32_t map) {
    if (map == Hyperplane::no_map) return true;
    return map < category_lists.size() &&
           category_lists[map].size <= category_pool.size() - category_lists[map].begin - category_lists[map].size;
  };
  for (Hyperplane const& plane : hyperplanes) {
    bool const features = plane.feature_a < n_features && plane.feature_b < n_features;
    if (!features || !is_map(plane.map_a) || !is_map(plane.map_b))
      throw std::invalid_argument("a hyperplane names an unknown feature or map");
  }
  std::size_t expected_child = 1;  // children are laid out in the order in which their parents were split, so each is owned once
  std::vector<bool> owned(nodes.size(), false);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Node const& node = nodes[i];
    require(node.feature() < n_features, i, "unknown feature");  // of a leaf, too: walks read its column before they stop
    switch (node.kind()) {
      case SplitKind::leaf: require(node.first_child < n_rows, i, "its counts are missing"); continue;
      case SplitKind::numeric: require(!std::isnan(node.threshold), i, "its threshold is not a number"); break;
      case SplitKind::subset: require(is_index(node.threshold, category_lists.size()), i, "its categories are missing"); break;
      case SplitKind::hyperplane: require(is_index(node.threshold, hyperplanes.size()), i, "its hyperplane is missing"); break;
      case SplitKind::multiway: {
        require(is_index(node.threshold, category_lists.size()), i, "its categories are missing");
        CategoryList const& list = category_lists[node.pool_index()];
        require(list.size > 0 && list.missing_child <= list.size && list.leaf_row < n_rows, i, "its branches are damaged");
        break;
      }
      default: require(false, i, "unknown kind of split");
    }
    std::uint32_t const n = n_children(node);
    require(node.first_child > i && node.first_child <= nodes.size() && n <= nodes.size() - node.first_child, i,
            "its children are out of range");
    for (std::uint32_t c = 0; c < n; ++c) {
      require(!owned[node.first_child + c], i, "it shares a child with another node");
      owned[node.first_child + c] = true;
    }
    expected_child += n;
  }
  if (expected_child != nodes.size()) throw std::invalid_argument("some nodes are not reachable");
}

std::vector<double> node_table(Tree const& tree) {
  std::size_t const stride = tree.leaf_stride();
  std::vector<double> table(tree.nodes.size() * stride, 0.0);
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    Node const& node = tree.nodes[i];
    double* sums = table.data() + i * stride;
    if (node.kind() == SplitKind::leaf) {
      double const* leaf = tree.leaf_row(node.first_child);
      for (std::size_t j = 0; j < stride; ++j) sums[j] = leaf[j];
      continue;
    }
    for (std::uint32_t c = 0; c < tree.n_children(node); ++c) {
      double const* child = table.data() + (node.first_child + c) * stride;
      for (std::size_t j = 0; j < stride; ++j) sums[j] += child[j];
    }
  }
  return table;
}

std::vector<std::uint32_t> node_depths(Tree const& tree) {
  std::vector<std::uint32_t> depths(tree.nodes.size(), 0);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    Node const& node = tree.nodes[i];
    for (std::uint32_t c = 0; c < tree.n_children(node); ++c) depths[node.first_child + c] = depths[i] + 1;
  }
  return depths;
}

}  // namespace rarewood
