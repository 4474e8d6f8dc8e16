// A read-only tree and pruning it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "arrays.hpp"
#include "forest_monitor.hpp"
#include "rarewood/predict.hpp"
#include "rarewood/prune.hpp"
#include "shared_dataset.hpp"
#include "tree_state.hpp"

namespace rarewood::bindings {

namespace {

using namespace nb::literals;

Node const& checked_node(Tree const& tree, std::int64_t index) {
  if (index < 0 || static_cast<std::size_t>(index) >= tree.nodes.size())
    throw nb::index_error(("there is no node " + std::to_string(index)).c_str());
  return tree.nodes[static_cast<std::size_t>(index)];
}

// One number per node.
template <class T, class Of>
NumpyArray<T> per_node(Tree const& tree, Of of) {
  std::vector<T> values;
  values.reserve(tree.nodes.size());
  for (Node const& node : tree.nodes) values.push_back(of(node));
  return to_numpy(std::move(values));
}

bool is_leaf(Node const& node) { return node.is_leaf(); }

constexpr std::int64_t no_child = -1;
constexpr std::int64_t undefined = -2;  // scikit-learn's mark for the feature and threshold of a leaf

auto children_left(Tree const& tree) {
  return per_node<std::int64_t>(tree, [](Node const& n) { return is_leaf(n) ? no_child : std::int64_t{n.first_child}; });
}

auto children_right(Tree const& tree) {
  return per_node<std::int64_t>(
      tree, [&](Node const& n) { return is_leaf(n) ? no_child : std::int64_t{n.first_child} + tree.n_children(n) - 1; });
}

auto features(Tree const& tree) {
  return per_node<std::int64_t>(tree, [](Node const& n) { return is_leaf(n) ? undefined : std::int64_t{n.feature()}; });
}

auto thresholds(Tree const& tree) {
  return per_node<double>(tree, [](Node const& n) {
    return is_leaf(n) ? static_cast<double>(undefined) : n.kind() == Threshold::number ? n.threshold : NAN;
  });
}

NumpyArray<double> values(Tree const& tree) {
  std::vector<double> const table = node_table(tree);
  std::vector<double> counts;
  counts.reserve(tree.nodes.size() * tree.n_classes);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i)
    counts.insert(counts.end(), table.begin() + static_cast<std::ptrdiff_t>(i * tree.leaf_stride()),
                  table.begin() + static_cast<std::ptrdiff_t>((i + 1) * tree.leaf_stride() - 1));
  return to_numpy(std::move(counts), {tree.nodes.size(), tree.n_classes});
}

NumpyArray<std::int64_t> cases(Tree const& tree) {
  std::vector<double> const table = node_table(tree);
  std::vector<std::int64_t> counts(tree.nodes.size());
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = std::llround(table[(i + 1) * tree.leaf_stride() - 1]);
  return to_numpy(std::move(counts));
}

NumpyArray<double> weights(Tree const& tree) {
  std::vector<double> const table = node_table(tree);
  std::vector<double> totals(tree.nodes.size());
  for (std::size_t i = 0; i < totals.size(); ++i) {
    auto const row = table.begin() + static_cast<std::ptrdiff_t>(i * tree.leaf_stride());
    totals[i] = std::accumulate(row, row + static_cast<std::ptrdiff_t>(tree.n_classes), 0.0);
  }
  return to_numpy(std::move(totals));
}

std::uint32_t depth(Tree const& tree) {
  std::vector<std::uint32_t> const depths = node_depths(tree);
  return *std::max_element(depths.begin(), depths.end());
}

// visit(Kind): the test of a node, decoded; `otherwise` for a leaf.
template <class Result, class Visit>
Result with_test(Tree const& tree, std::int64_t index, Result otherwise, Visit visit) {
  Node const& node = checked_node(tree, index);
  return visit_kind(node, otherwise, [&]<class Kind>(std::type_identity<Kind>) { return visit(Kind::read(tree, node)); });
}

std::vector<std::string> split_kinds() {
  std::vector<std::string> names{"leaf"};
  for_each_kind([&]<class Kind>(std::type_identity<Kind>) { names.emplace_back(Kind::name); });
  return names;
}

char const* split_kind(Tree const& tree, std::int64_t index) {
  return with_test(tree, index, "leaf", []<class Kind>(Kind const&) { return Kind::name; });
}

NumpyArray<std::int64_t> categories(Tree const& tree, std::int64_t index) {
  return to_numpy(with_test(tree, index, std::vector<std::int64_t>{}, [](auto const& test) {
    if constexpr (requires { test.codes; }) return std::vector<std::int64_t>(test.codes.begin(), test.codes.end());
    return std::vector<std::int64_t>{};
  }));
}

// Everything that a test knows beside its column, by name.
nb::dict parameters(Tree const& tree, std::int64_t index) {
  return with_test(tree, index, nb::dict{}, [](auto const& test) {
    nb::dict described;
    test.describe([&](char const* name, auto const& value) {
      if constexpr (requires { value.begin(); }) {
        described[name] = to_numpy(std::vector<std::int64_t>(value.begin(), value.end()));
      } else {
        described[name] = value;
      }
    });
    return described;
  });
}

std::int64_t missing_child(Tree const& tree, std::int64_t index) {
  Node const& node = checked_node(tree, index);
  return visit_kind(node, no_child,
                    [&]<class Kind>(std::type_identity<Kind>) { return std::int64_t{node.first_child} + Kind::missing_child(tree, node); });
}

nb::object hyperplane(Tree const& tree, std::int64_t index) {
  return with_test(tree, index, nb::object(nb::none()), []<class Kind>(Kind const& test) -> nb::object {
    if constexpr (std::is_same_v<Kind, Plane>)
      return nb::make_tuple(test.feature_a, test.feature_b, test.weight_a, test.weight_b, test.offset);
    return nb::none();
  });
}

NumpyArray<double> importances(Tree const& tree) {
  std::vector<double> shares = tree.importances;
  double const total = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (total > 0.0) std::for_each(shares.begin(), shares.end(), [total](double& share) { share /= total; });
  return to_numpy(std::move(shares));
}

Result<double> tree_probabilities(Tree const& tree, Matrix const& table, GivenPseudoCounts const& given) {
  MatrixView const matrix = checked(tree.n_features, table);
  PseudoCounts const pseudo_counts = pseudo_counts_of(given, tree.n_classes);
  std::vector<double> probabilities(matrix.rows * tree.n_classes);
  InterruptMonitor monitor;
  monitor.run([&] { predict_proba({&tree, 1}, matrix, pseudo_counts, {}, probabilities, 1, monitor); });
  return to_result(std::move(probabilities), {matrix.rows, tree.n_classes});
}

Result<std::int64_t> tree_apply(Tree const& tree, Matrix const& table) {
  MatrixView const matrix = checked(tree.n_features, table);
  std::vector<std::int64_t> nodes(matrix.rows);
  InterruptMonitor monitor;
  monitor.run([&] { apply(tree, matrix, nodes, monitor); });
  std::size_t const size = nodes.size();
  return to_result(std::move(nodes), {size});
}

nb::tuple tree_paths(Tree const& tree, Matrix const& table) {
  MatrixView const matrix = checked(tree.n_features, table);
  InterruptMonitor monitor;
  DecisionPaths paths = monitor.run([&] { return decision_paths(tree, matrix, monitor); });
  return nb::make_tuple(to_numpy(std::move(paths.row_begin)), to_numpy(std::move(paths.nodes)));
}

}  // namespace

void bind_tree_class(nb::module_& m) {
  nb::class_<Tree>(m, "Tree", "A fitted tree. Array names follow scikit-learn; arrays are read-only copies.")
      .def_ro("n_features", &Tree::n_features)
      .def_ro("n_classes", &Tree::n_classes)
      .def_prop_ro("node_count", [](Tree const& t) { return t.nodes.size(); })
      .def_prop_ro("n_leaves", [](Tree const& t) { return std::count_if(t.nodes.begin(), t.nodes.end(), is_leaf); })
      .def_prop_ro("max_depth", &depth)
      .def_prop_ro("children_left", &children_left, "First child of each node, -1 at a leaf.", nb::rv_policy::automatic)
      .def_prop_ro("children_right", &children_right, "Last child of each node, -1 at a leaf; children are adjacent.",
                   nb::rv_policy::automatic)
      .def_prop_ro(
          "n_children",
          [](Tree const& t) { return per_node<std::int64_t>(t, [&](Node const& n) { return std::int64_t{t.n_children(n)}; }); },
          nb::rv_policy::automatic)
      .def_prop_ro("feature", &features, "Feature each node splits on, -2 at a leaf.", nb::rv_policy::automatic)
      .def_prop_ro("threshold", &thresholds, "x <= threshold goes left; NaN where the split is not a threshold, -2 at a leaf.",
                   nb::rv_policy::automatic)
      .def_prop_ro(
          "missing_go_to_left",
          [](Tree const& t) {
            return per_node<std::uint8_t>(t, [](Node const& n) -> std::uint8_t { return !is_leaf(n) && n.missing_left() ? 1 : 0; });
          },
          nb::rv_policy::automatic)
      .def_prop_ro("value", &values, "Weighted class counts of each node.", nb::rv_policy::automatic)
      .def_prop_ro("n_node_samples", &cases, "Cases of each node: rows, or repetitions of rows where sample weights are integers.",
                   nb::rv_policy::automatic)
      .def_prop_ro("weighted_n_node_samples", &weights, nb::rv_policy::automatic)
      .def_prop_ro("feature_importances", &importances, "Share of the total improvement by each feature; sums to 1, or 0 without a split.",
                   nb::rv_policy::automatic)
      .def("split_kind", &split_kind, "node"_a, "'leaf', 'numeric', 'subset', 'multiway' or 'hyperplane'.")
      .def_prop_ro(
          "split_kinds",
          [](Tree const& t) { return per_node<std::uint8_t>(t, [](Node const& n) { return static_cast<std::uint8_t>(n.kind()); }); },
          "Kind of each node, as a number of `split_kinds()`.", nb::rv_policy::automatic)
      .def("parameters", &parameters, "node"_a, "What the test of a node knows beside its column, by name; nothing at a leaf.")
      .def("categories", &categories, "node"_a, "Subset: the category codes that go left. Multiway: those of the children in order.")
      .def("missing_child", &missing_child, "node"_a, "The child that takes missing values, -1 at a leaf.")
      .def("hyperplane", &hyperplane, "node"_a, "(feature_a, feature_b, weight_a, weight_b, offset), or None.")
      .def("predict_proba", &tree_probabilities, "X"_a.noconvert(), "pseudo_counts"_a)
      .def("apply", &tree_apply, "X"_a.noconvert())
      .def("decision_path", &tree_paths, "X"_a.noconvert(), "(indptr, indices) of the nodes each row visits.")
      .def(
          "check_columns", [](Tree const& t, Vector<std::int32_t> n_categories) { t.check_columns(view(n_categories)); },
          "n_categories"_a.noconvert(), "Raise unless the splits fit columns that have so many categories each, 0 for numbers.")
      .def(
          "__init__", [](Tree* self, nb::dict const& arrays) { new (self) Tree(from_arrays_of_one(arrays)); }, "arrays"_a,
          "From what __getstate__ gives.")
      .def("__reduce__", [](nb::object const& self) { return nb::make_tuple(self.type(), nb::make_tuple(self.attr("__getstate__")())); })
      .def("__getstate__", [](Tree const& tree) { return to_arrays({&tree, 1}); })
      .def("__setstate__", [](Tree& self, nb::dict const& arrays) { new (&self) Tree(from_arrays_of_one(arrays)); })
      .def(
          "__deepcopy__", [](Tree const& self, nb::handle) { return Tree(self); }, "memo"_a)
      .def("__sizeof__", &Tree::bytes);
}

}  // namespace rarewood::bindings

void bind_tree(nanobind::module_& m) {
  using namespace rarewood::bindings;
  bind_tree_class(m);
  m.def("split_kinds", &split_kinds, "Names of the kinds of nodes; a kind is its place in this list.");
  m.def("prune_pessimistic", &rarewood::prune_pessimistic, "tree"_a, "confidence"_a);
}
