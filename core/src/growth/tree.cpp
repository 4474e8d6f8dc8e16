#include "rarewood/tree.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace rarewood {

namespace {

// visit(vector): every vector of a tree.
template <class AnyTree, class Visit>
void for_each_pool(AnyTree& tree, Visit visit) {
  visit(tree.nodes);
  visit(tree.category_lists);
  visit(tree.category_pool);
  visit(tree.leaf_table);
  visit(tree.importances);
  for_each_kind([&]<class Kind>(std::type_identity<Kind>) {
    if constexpr (HasRecord<Kind>) visit(tree.template records_of<Kind>());
  });
}

void require(bool condition, char const* what) {
  if (!condition) throw std::invalid_argument(what);
}

void require_at(std::size_t node, bool condition, char const* what) {
  if (!condition) throw std::invalid_argument("node " + std::to_string(node) + ": " + what);
}

void check_pools(Tree const& tree) {
  require(!tree.nodes.empty(), "a tree has at least one node");
  require(tree.n_classes > 0 && !tree.leaf_table.empty() && tree.leaf_table.size() % tree.leaf_stride() == 0,
          "the leaf table does not fit the number of classes");
  require(tree.importances.empty() || tree.importances.size() == tree.n_features, "importances do not fit the number of features");
  for (double count : tree.leaf_table) require(count >= 0.0 && std::isfinite(count), "counts must be finite and not negative");
  for (CategoryList const& list : tree.category_lists)
    require(list.begin <= tree.category_pool.size() && list.size <= tree.category_pool.size() - list.begin,
            "a category list leaves its pool");
  for_each_kind([&]<class Kind>(std::type_identity<Kind>) {
    if constexpr (HasRecord<Kind>) {
      for (auto const& record : tree.records_of<Kind>()) Kind::check_record(tree, record, require);
    }
  });
}

// Which lists of categories splits use for which columns, and whether these are nominal.
class ColumnCheck {
 public:
  ColumnCheck(Tree const& tree, std::span<std::int32_t const> n_categories)
      : tree_(tree), n_categories_(n_categories), uses_(tree.category_lists.size()) {}

  static void require(bool condition, char const* what) { rarewood::require(condition, what); }
  bool is_nominal(std::uint32_t feature) const { return n_categories_[feature] > 0; }

  // `parts`: how many numbers stand in the pool for each code of the list.
  void use_list(std::size_t list, std::uint32_t feature, std::uint32_t parts) {
    require(uses_[list].parts == 0, "two nodes share a list of categories");
    uses_[list] = {parts, static_cast<Code>(n_categories_[feature])};
  }

  // Every list lies behind the one before, ascends, and holds categories that its column has. They do not overlap, so this takes no longer
  // than the pool is.
  void finish() const {
    std::size_t end = 0;
    for (std::size_t l = 0; l < uses_.size(); ++l) {
      CategoryList const& list = tree_.category_lists[l];
      require(list.begin >= end, "lists of categories overlap");
      end = list.begin + std::size_t{list.size} * std::max(uses_[l].parts, 1U);
      std::span<Code const> const codes = tree_.codes(l);
      for (std::size_t i = 0; i < codes.size(); ++i) {
        require(codes[i] < uses_[l].limit, "a split names a category that its column does not have");
        require(i == 0 || codes[i] > codes[i - 1], "the categories of a split are not in order");
      }
    }
  }

 private:
  struct Use {
    std::uint32_t parts = 0;  // 0: nobody uses it
    Code limit = missing_code;
  };

  Tree const& tree_;
  std::span<std::int32_t const> n_categories_;
  std::vector<Use> uses_;
};

}  // namespace

std::size_t Tree::bytes() const {
  std::size_t total = sizeof *this + for_floats.bytes() + for_doubles.bytes();
  for_each_pool(*this, [&](auto const& pool) { total += pool.capacity() * sizeof pool[0]; });
  return total;
}

void Tree::shrink_to_fit() {
  for_each_pool(*this, [](auto& pool) { pool.shrink_to_fit(); });
}

void Tree::check() const {
  check_pools(*this);
  std::size_t expected_child = 1;  // children are laid out in the order in which their parents were split, so each is owned once
  std::vector<bool> owned(nodes.size(), false);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Node const& node = nodes[i];
    auto const require_here = [i](bool condition, char const* what) { require_at(i, condition, what); };
    require_here(node.feature() < n_features, "unknown feature");  // of a leaf, too: a descent reads its column before it ends
    if (node.is_leaf()) {
      require_here(node.first_child < n_leaf_rows(), "its counts are missing");
      continue;
    }
    bool const known = visit_kind(node, false, [&]<class Kind>(std::type_identity<Kind>) {
      Kind::check(*this, node, require_here);
      return true;
    });
    require_here(known, "unknown kind of split");
    std::uint32_t const n = n_children(node);
    require_here(node.first_child > i && node.first_child <= nodes.size() && n <= nodes.size() - node.first_child,
                 "its children are out of range");
    for (std::uint32_t c = 0; c < n; ++c) {
      require_here(!owned[node.first_child + c], "it shares a child with another node");
      owned[node.first_child + c] = true;
    }
    expected_child += n;
  }
  require(expected_child == nodes.size(), "some nodes are not reachable");
}

void Tree::check_columns(std::span<std::int32_t const> n_categories) const {
  require(n_categories.size() == n_features, "the table has another number of columns");
  bool const any_nominal = std::any_of(n_categories.begin(), n_categories.end(), [](std::int32_t n) { return n > 0; });
  require(any_nominal || category_lists.empty(), "there are lists of categories and no nominal columns");
  ColumnCheck columns(*this, n_categories);
  for_each_kind([&]<class Kind>(std::type_identity<Kind>) {
    if constexpr (HasRecord<Kind>) {
      for (auto const& record : records_of<Kind>()) Kind::check_record_columns(record, columns);
    }
  });
  for (Node const& node : nodes) {
    visit_kind(node, false, [&]<class Kind>(std::type_identity<Kind>) {
      Kind::check_columns(*this, node, columns);
      return true;
    });
  }
  columns.finish();
}

std::vector<double> node_table(Tree const& tree) {
  std::size_t const stride = tree.leaf_stride();
  std::vector<double> table(tree.nodes.size() * stride, 0.0);
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    Node const& node = tree.nodes[i];
    double* sums = table.data() + i * stride;
    if (node.is_leaf()) {
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
