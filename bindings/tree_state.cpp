#include "tree_state.hpp"

#include <cmath>
#include <string>

#include "arrays.hpp"

namespace rarewood::bindings {

namespace {

// Field `member` of every item as an array of its own, so that the stored form does not depend on how a compiler lays out structs.
template <class Field, class Item>
NumpyArray<Field> column(std::vector<Item> const& items, Field Item::* member) {
  std::vector<Field> values;
  values.reserve(items.size());
  for (Item const& item : items) values.push_back(item.*member);
  return to_numpy(std::move(values));
}

template <class T>
std::span<T const> read(nb::dict const& arrays, char const* name) {
  if (!arrays.contains(name)) throw nb::value_error((std::string("a tree needs the array '") + name + "'").c_str());
  Vector<T> values;
  if (!nb::try_cast(arrays[name], values, false)) throw nb::value_error((std::string("the array '") + name + "' has the wrong type or shape").c_str());
  return view(values);  // the dictionary keeps the array alive
}

// Sets field `member` of every item from the named array; the first call of a series decides how many items there are.
template <class Field, class Item>
void set_column(std::vector<Item>& items, Field Item::* member, nb::dict const& arrays, char const* name, bool first) {
  std::span<Field const> const values = read<Field>(arrays, name);
  if (first) items.resize(values.size());
  if (values.size() != items.size()) throw nb::value_error((std::string("the array '") + name + "' has the wrong length").c_str());
  for (std::size_t i = 0; i < items.size(); ++i) items[i].*member = values[i];
}

// The fields of each record of a tree, named once for both directions: visit(items, member, name, is_first).
template <class AnyTree, class Visit>
void for_each_column(AnyTree& tree, Visit visit) {
  visit(tree.nodes, &Node::threshold, "node_threshold", true);
  visit(tree.nodes, &Node::first_child, "node_first_child", false);
  visit(tree.nodes, &Node::packed, "node_packed", false);
  visit(tree.category_lists, &CategoryList::begin, "list_begin", true);
  visit(tree.category_lists, &CategoryList::size, "list_size", false);
  visit(tree.category_lists, &CategoryList::missing_child, "list_missing_child", false);
  visit(tree.category_lists, &CategoryList::leaf_row, "list_leaf_row", false);
  visit(tree.hyperplanes, &Hyperplane::feature_a, "plane_feature_a", true);
  visit(tree.hyperplanes, &Hyperplane::feature_b, "plane_feature_b", false);
  visit(tree.hyperplanes, &Hyperplane::weight_a, "plane_weight_a", false);
  visit(tree.hyperplanes, &Hyperplane::weight_b, "plane_weight_b", false);
  visit(tree.hyperplanes, &Hyperplane::offset, "plane_offset", false);
  visit(tree.hyperplanes, &Hyperplane::map_a, "plane_map_a", false);
  visit(tree.hyperplanes, &Hyperplane::map_b, "plane_map_b", false);
  visit(tree.hyperplanes, &Hyperplane::unseen_left, "plane_unseen_left", false);
}

}  // namespace

nb::dict to_arrays(Tree const& tree) {
  nb::dict arrays;
  arrays["shape"] = to_numpy(std::vector<std::int64_t>{static_cast<std::int64_t>(tree.n_features), static_cast<std::int64_t>(tree.n_classes)});
  for_each_column(tree, [&](auto const& items, auto member, char const* name, bool) { arrays[name] = column(items, member); });
  arrays["category_pool"] = to_numpy(tree.category_pool);
  arrays["leaf_table"] = to_numpy(tree.leaf_table);
  arrays["importances"] = to_numpy(tree.importances);
  return arrays;
}

Tree from_arrays(nb::dict const& arrays) {
  Tree tree;
  auto const shape = read<std::int64_t>(arrays, "shape");
  if (shape.size() != 2 || shape[0] < 0 || shape[1] < 1 || shape[0] > Node::max_features || shape[1] > INT32_MAX) throw nb::value_error("a tree's 'shape' must hold the number of features and classes");
  tree.n_features = static_cast<std::size_t>(shape[0]);
  tree.n_classes = static_cast<std::size_t>(shape[1]);
  for_each_column(tree, [&](auto& items, auto member, char const* name, bool first) { set_column(items, member, arrays, name, first); });
  auto const copy = [&]<class T>(std::vector<T>& to, char const* name) {
    std::span<T const> const values = read<T>(arrays, name);
    to.assign(values.begin(), values.end());
  };
  copy(tree.category_pool, "category_pool");
  copy(tree.leaf_table, "leaf_table");
  copy(tree.importances, "importances");
  tree.check();
  return tree;
}

}  // namespace rarewood::bindings
