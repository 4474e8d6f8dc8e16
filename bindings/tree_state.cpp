#include "tree_state.hpp"

#include <cstdint>
#include <string>

#include "arrays.hpp"

namespace rarewood::bindings {

namespace {

template <class T>
std::span<T const> read(nb::dict const& arrays, char const* name) {
  if (!arrays.contains(name)) throw nb::value_error((std::string("trees need the array '") + name + "'").c_str());
  Vector<T> values;
  if (!nb::try_cast(arrays[name], values, false))
    throw nb::value_error((std::string("the array '") + name + "' has the wrong type or shape").c_str());
  return view(values);  // the dictionary keeps the array alive
}

// Everything a tree stores, named once for both directions. A pool is a vector of a tree whose sizes, tree by tree, stand in an array of
// their own; visit.pool(vector, sizes) opens it and visit.field(vector, member, name) names one field of its items. Fields are
// arrays of their own, so the stored form does not depend on how a compiler lays out structs.
template <class Visit>
void for_each_pool(Visit& visit) {
  visit.pool(&Tree::nodes, "n_nodes");
  visit.field(&Tree::nodes, &Node::threshold, "node_threshold");
  visit.field(&Tree::nodes, &Node::first_child, "node_first_child");
  visit.field(&Tree::nodes, &Node::packed, "node_packed");
  visit.pool(&Tree::category_lists, "n_lists");
  visit.field(&Tree::category_lists, &CategoryList::begin, "list_begin");
  visit.field(&Tree::category_lists, &CategoryList::size, "list_size");
  visit.field(&Tree::category_lists, &CategoryList::missing_child, "list_missing_child");
  visit.field(&Tree::category_lists, &CategoryList::leaf_row, "list_leaf_row");
  visit.pool(&Tree::hyperplanes, "n_planes");
  visit.field(&Tree::hyperplanes, &Hyperplane::feature_a, "plane_feature_a");
  visit.field(&Tree::hyperplanes, &Hyperplane::feature_b, "plane_feature_b");
  visit.field(&Tree::hyperplanes, &Hyperplane::weight_a, "plane_weight_a");
  visit.field(&Tree::hyperplanes, &Hyperplane::weight_b, "plane_weight_b");
  visit.field(&Tree::hyperplanes, &Hyperplane::offset, "plane_offset");
  visit.field(&Tree::hyperplanes, &Hyperplane::map_a, "plane_map_a");
  visit.field(&Tree::hyperplanes, &Hyperplane::map_b, "plane_map_b");
  visit.field(&Tree::hyperplanes, &Hyperplane::unseen_left, "plane_unseen_left");
  visit.pool(&Tree::category_pool, "n_categories");
  visit.whole(&Tree::category_pool, "category_pool");
  visit.pool(&Tree::leaf_table, "n_leaf_cells");
  visit.whole(&Tree::leaf_table, "leaf_table");
  visit.pool(&Tree::importances, "n_importances");
  visit.whole(&Tree::importances, "importances");
}

struct Writer {
  std::span<Tree const> trees;
  nb::dict arrays;

  template <class Item>
  void pool(std::vector<Item> Tree::* items, char const* name) {
    std::vector<std::int64_t> sizes;
    for (Tree const& tree : trees) sizes.push_back(static_cast<std::int64_t>((tree.*items).size()));
    arrays[name] = to_numpy(std::move(sizes));
  }

  template <class Item, class Field>
  void field(std::vector<Item> Tree::* items, Field Item::* member, char const* name) {
    std::vector<Field> values;
    for (Tree const& tree : trees) {
      for (Item const& item : tree.*items) values.push_back(item.*member);
    }
    arrays[name] = to_numpy(std::move(values));
  }

  template <class Item>
  void whole(std::vector<Item> Tree::* items, char const* name) {
    std::vector<Item> values;
    for (Tree const& tree : trees) values.insert(values.end(), (tree.*items).begin(), (tree.*items).end());
    arrays[name] = to_numpy(std::move(values));
  }
};

struct Reader {
  std::vector<Tree>& trees;
  nb::dict const& arrays;
  char const* sizes_name = "";

  // Remembers where the sizes of the pool stand; items are made when the first array has shown that the sizes are true.
  template <class Item>
  void pool(std::vector<Item> Tree::*, char const* name) {
    sizes_name = name;
  }

  template <class T>
  std::span<T const> sized(char const* name) const {
    std::span<std::int64_t const> const sizes = read<std::int64_t>(arrays, sizes_name);
    std::span<T const> const values = read<T>(arrays, name);
    std::size_t left = values.size();
    bool fits = sizes.size() == trees.size();
    for (std::size_t t = 0; fits && t < sizes.size(); ++t) {
      fits = sizes[t] >= 0 && static_cast<std::size_t>(sizes[t]) <= left;
      if (fits) left -= static_cast<std::size_t>(sizes[t]);
    }
    if (!fits || left != 0) throw nb::value_error((std::string("the array '") + name + "' does not fit '" + sizes_name + "'").c_str());
    return values;
  }

  std::size_t size_of(std::size_t tree) const { return static_cast<std::size_t>(read<std::int64_t>(arrays, sizes_name)[tree]); }

  template <class Item, class Field>
  void field(std::vector<Item> Tree::* items, Field Item::* member, char const* name) {
    auto value = sized<Field>(name).begin();
    for (std::size_t t = 0; t < trees.size(); ++t) {
      (trees[t].*items).resize(size_of(t));
      for (Item& item : trees[t].*items) item.*member = *value++;
    }
  }

  template <class Item>
  void whole(std::vector<Item> Tree::* items, char const* name) {
    auto value = sized<Item>(name).begin();
    for (std::size_t t = 0; t < trees.size(); ++t) {
      auto const end = value + static_cast<std::ptrdiff_t>(size_of(t));
      (trees[t].*items).assign(value, end);
      value = end;
    }
  }
};

}  // namespace

nb::dict to_arrays(std::span<Tree const> trees) {
  Writer writer{trees, {}};
  writer.arrays["shape"] = to_numpy(
      std::vector<std::int64_t>{static_cast<std::int64_t>(trees.front().n_features), static_cast<std::int64_t>(trees.front().n_classes)});
  for_each_pool(writer);
  return writer.arrays;
}

std::vector<Tree> from_arrays(nb::dict const& arrays) {
  auto const shape = read<std::int64_t>(arrays, "shape");
  if (shape.size() != 2 || shape[0] < 0 || shape[1] < 1 || shape[0] > Node::max_features || shape[1] > INT32_MAX)
    throw nb::value_error("'shape' must hold the number of features and classes");
  std::vector<Tree> trees(read<std::int64_t>(arrays, "n_nodes").size());
  if (trees.empty()) throw nb::value_error("there must be at least one tree");
  Reader reader{trees, arrays};
  for_each_pool(reader);
  for (Tree& tree : trees) {
    tree.n_features = static_cast<std::size_t>(shape[0]);
    tree.n_classes = static_cast<std::size_t>(shape[1]);
    tree.check();
  }
  return trees;
}

Tree from_arrays_of_one(nb::dict const& arrays) {
  std::vector<Tree> trees = from_arrays(arrays);
  if (trees.size() != 1) throw nb::value_error("the arrays hold a forest, not one tree");
  return std::move(trees.front());
}

}  // namespace rarewood::bindings
