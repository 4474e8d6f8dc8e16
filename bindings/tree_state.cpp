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
// their own; visit.pool(items, sizes) opens it, where items(tree) is the vector, and visit.field(items, member, name) names one field of
// its items. Fields are arrays of their own, so the stored form does not depend on how a compiler lays out structs.
template <class Visit>
void for_each_pool(Visit& visit) {
  auto const nodes = [](auto& tree) -> auto& { return tree.nodes; };
  visit.pool(nodes, "n_nodes");
  visit.field(nodes, &Node::threshold, "node_threshold");
  visit.field(nodes, &Node::first_child, "node_first_child");
  visit.field(nodes, &Node::packed, "node_packed");
  auto const lists = [](auto& tree) -> auto& { return tree.category_lists; };
  visit.pool(lists, "n_lists");
  visit.field(lists, &CategoryList::begin, "list_begin");
  visit.field(lists, &CategoryList::size, "list_size");
  visit.field(lists, &CategoryList::missing_child, "list_missing_child");
  visit.field(lists, &CategoryList::leaf_row, "list_leaf_row");
  for_each_kind([&]<class Kind>(std::type_identity<Kind>) {
    if constexpr (HasRecord<Kind>) {
      auto const records = [](auto& tree) -> auto& { return tree.template records_of<Kind>(); };
      visit.pool(records, Kind::Record::pool);
      Kind::Record::for_each_field([&](auto member, char const* name) { visit.field(records, member, name); });
    }
  });
  visit.whole([](auto& tree) -> auto& { return tree.category_pool; }, "n_categories", "category_pool");
  visit.whole([](auto& tree) -> auto& { return tree.leaf_table; }, "n_leaf_cells", "leaf_table");
  visit.whole([](auto& tree) -> auto& { return tree.importances; }, "n_importances", "importances");
}

struct Writer {
  std::span<Tree const> trees;
  nb::dict arrays;

  template <class Items>
  void pool(Items items, char const* name) {
    std::vector<std::int64_t> sizes;
    for (Tree const& tree : trees) sizes.push_back(static_cast<std::int64_t>(items(tree).size()));
    arrays[name] = to_numpy(std::move(sizes));
  }

  template <class Items, class Item, class Field>
  void field(Items items, Field Item::* member, char const* name) {
    std::vector<Field> values;
    for (Tree const& tree : trees) {
      for (Item const& item : items(tree)) values.push_back(item.*member);
    }
    arrays[name] = to_numpy(std::move(values));
  }

  // A pool of numbers: one array.
  template <class Items>
  void whole(Items items, char const* sizes, char const* name) {
    pool(items, sizes);
    std::remove_cvref_t<decltype(items(trees.front()))> values;
    for (Tree const& tree : trees) values.insert(values.end(), items(tree).begin(), items(tree).end());
    arrays[name] = to_numpy(std::move(values));
  }
};

struct Reader {
  std::vector<Tree>& trees;
  nb::dict const& arrays;
  char const* sizes_name = "";

  // Remembers where the sizes of the pool stand; items are made when the first array has shown that the sizes are true.
  template <class Items>
  void pool(Items, char const* name) {
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

  template <class Items, class Item, class Field>
  void field(Items items, Field Item::* member, char const* name) {
    auto value = sized<Field>(name).begin();
    for (std::size_t t = 0; t < trees.size(); ++t) {
      items(trees[t]).resize(size_of(t));
      for (Item& item : items(trees[t])) item.*member = *value++;
    }
  }

  template <class Items>
  void whole(Items items, char const* sizes, char const* name) {
    pool(items, sizes);
    auto value = sized<std::remove_cvref_t<decltype(items(trees.front())[0])>>(name).begin();
    for (std::size_t t = 0; t < trees.size(); ++t) {
      auto const end = value + static_cast<std::ptrdiff_t>(size_of(t));
      items(trees[t]).assign(value, end);
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
