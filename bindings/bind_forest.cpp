// Growing a forest and what comes out of it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "arrays.hpp"
#include "forest_monitor.hpp"
#include "python_scorer.hpp"
#include "rarewood/forest.hpp"
#include "rarewood/predict.hpp"
#include "rarewood/prune.hpp"
#include "rarewood/votes.hpp"
#include "shared_dataset.hpp"
#include "tree_state.hpp"

namespace rarewood::bindings {

namespace {

using namespace nb::literals;

struct Forest {
  std::vector<Tree> trees;

  Tree const& at(std::int64_t i) const {
    if (i < 0 || static_cast<std::size_t>(i) >= trees.size()) throw nb::index_error(("there is no tree " + std::to_string(i)).c_str());
    return trees[static_cast<std::size_t>(i)];
  }
};

// criteria: one for all trees, or one per tree.
ScorerOfTree scorers(nb::list const& criteria, std::size_t n_classes, std::size_t first_tree) {
  if (nb::len(criteria) == 0) throw nb::value_error("at least one criterion is needed");
  auto made = std::make_shared<std::vector<std::unique_ptr<Scorer>>>();
  for (nb::handle criterion : criteria) made->push_back(make_any_scorer(criterion, n_classes));
  return [made, first_tree](std::size_t tree) { return (*made)[made->size() == 1 ? 0 : tree - first_tree]->clone(); };
}

ForestOptions forest_options(std::string const& sampling, std::optional<std::vector<std::size_t>> class_sizes, std::uint64_t seed) {
  if ((sampling_named(sampling) == Sampling::subsample) != class_sizes.has_value())
    throw nb::value_error("class_sizes and sampling='subsample' need each other");
  ForestOptions options;
  options.sampling = sampling_named(sampling);
  options.class_sizes = std::move(class_sizes).value_or(std::vector<std::size_t>{});
  options.seed = seed;
  return options;
}

// A problem as Python states it; the arrays stay Python's.
struct ForestPlan {
  nb::list criteria;
  ForestOptions options;
  std::optional<Vector<double>> weights;
  std::optional<Vector<double>> class_weights;
  std::vector<std::int32_t> groups;  // empty: the classes as they are

  ForestPlan(nb::list criteria_, TreeOptions const& tree, std::size_t n_trees, std::string const& sampling,
             std::optional<Vector<double>> weights_, std::optional<Vector<double>> class_weights_,
             std::optional<std::vector<std::int32_t>> groups_, std::optional<std::vector<std::size_t>> class_sizes, std::size_t first_tree)
      : criteria(std::move(criteria_)),
        options(forest_options(sampling, std::move(class_sizes), tree.seed)),
        weights(std::move(weights_)),
        class_weights(std::move(class_weights_)),
        groups(std::move(groups_).value_or(std::vector<std::int32_t>{})) {
    if (n_trees == 0) throw nb::value_error("a forest has at least one tree");
    if (nb::len(criteria) != 1 && nb::len(criteria) != n_trees) throw nb::value_error("give one criterion, or one per tree");
    options.growth = tree.growth;
    options.n_trees = n_trees;
    options.first_tree = first_tree;
  }

  Problem problem(Dataset const& data) const {
    std::size_t const n_classes =
        groups.empty() ? data.n_classes() : static_cast<std::size_t>(std::max(0, *std::max_element(groups.begin(), groups.end()) + 1));
    return {.group_of = groups,
            .weights = view_or_empty(weights),
            .class_weights = view_or_empty(class_weights),
            .scorer_of = scorers(criteria, n_classes, options.first_tree),
            .options = options};
  }
};

std::vector<Forest> grow_plans(SharedDataset const& dataset, std::vector<ForestPlan const*> const& plans, unsigned n_threads,
                               nb::object const& progress) {
  std::vector<Problem> problems;
  for (ForestPlan const* plan : plans) problems.push_back(plan->problem(dataset.data));
  InterruptMonitor monitor(progress);
  auto grown = monitor.run([&] { return grow_forests(dataset.data, problems, n_threads, monitor); });
  std::vector<Forest> forests;
  for (std::vector<Tree>& trees : grown) forests.push_back({std::move(trees)});
  return forests;
}

Forest grow_one(SharedDataset const& dataset, nb::list const& criteria, TreeOptions const& options, std::size_t n_trees,
                std::string const& sampling, std::optional<Vector<double>> const& weights,
                std::optional<Vector<double>> const& class_weights, std::optional<std::vector<std::int32_t>> const& groups,
                std::optional<std::vector<std::size_t>> const& class_sizes, std::size_t first_tree, unsigned n_threads,
                nb::object const& progress) {
  ForestPlan const plan(criteria, options, n_trees, sampling, weights, class_weights, groups, class_sizes, first_tree);
  return std::move(grow_plans(dataset, {&plan}, n_threads, progress).front());
}

Result<double> probabilities(Forest const& forest, Matrix const& table, double smoothing, unsigned n_threads) {
  Tree const& first = forest.trees.front();
  MatrixView const matrix = checked(first.n_features, table);
  std::vector<double> result(matrix.rows * first.n_classes);
  {
    nb::gil_scoped_release const released;
    predict_proba(forest.trees, matrix, smoothing, result, n_threads);
  }
  return to_result(std::move(result), {matrix.rows, first.n_classes});
}

Result<std::int64_t> leaves(Forest const& forest, Matrix const& table) {
  MatrixView const matrix = checked(forest.trees.front().n_features, table);
  std::vector<std::int64_t> result(matrix.rows * forest.trees.size());
  {
    nb::gil_scoped_release const released;
    std::vector<std::int64_t> nodes(matrix.rows);
    for (std::size_t t = 0; t < forest.trees.size(); ++t) {
      apply(forest.trees[t], matrix, nodes);
      for (std::size_t row = 0; row < matrix.rows; ++row) result[row * forest.trees.size() + t] = nodes[row];
    }
  }
  return to_result(std::move(result), {matrix.rows, forest.trees.size()});
}

// Mean over the trees of their normalised importances.
NumpyArray<double> importances(Forest const& forest) {
  std::vector<double> mean(forest.trees.front().n_features, 0.0);
  for (Tree const& tree : forest.trees) {
    double const total = std::accumulate(tree.importances.begin(), tree.importances.end(), 0.0);
    for (std::size_t f = 0; total > 0.0 && f < mean.size(); ++f) mean[f] += tree.importances[f] / total;
  }
  double const total = std::accumulate(mean.begin(), mean.end(), 0.0);
  for (double& share : mean) share = total > 0.0 ? share / total : 0.0;
  return to_numpy(std::move(mean));
}

nb::tuple out_of_bag_of(Forest const& forest, SharedDataset const& dataset, double smoothing, std::string const& sampling,
                        std::uint64_t seed, std::optional<Vector<double>> const& weights,
                        std::optional<std::vector<std::size_t>> const& class_sizes, unsigned n_threads) {
  ForestOptions const options = forest_options(sampling, class_sizes, seed);
  OutOfBag result;
  {
    nb::gil_scoped_release const released;
    result = out_of_bag(dataset.data, view_or_empty(weights), forest.trees, smoothing, options, n_threads);
  }
  std::size_t const rows = result.n_trees.size();
  return nb::make_tuple(to_numpy(std::move(result.sums), {rows, dataset.data.n_classes()}), to_numpy(std::move(result.n_trees)));
}

NumpyArray<std::uint32_t> drawn(SharedDataset const& dataset, std::string const& sampling, std::uint64_t seed, std::size_t tree,
                                std::optional<Vector<double>> const& weights, std::optional<std::vector<std::size_t>> const& class_sizes) {
  return to_numpy(times_drawn(dataset.data, view_or_empty(weights), forest_options(sampling, class_sizes, seed), tree));
}

Forest joined(Forest const& first, Forest const& second) {
  Tree const& one = first.trees.front();
  Tree const& other = second.trees.front();
  if (one.n_features != other.n_features || one.n_classes != other.n_classes)
    throw nb::value_error("forests of different tables cannot be joined");
  Forest both = first;
  both.trees.insert(both.trees.end(), second.trees.begin(), second.trees.end());
  return both;
}

Forest pruned(Forest const& forest, double confidence) {
  Forest result;
  for (Tree const& tree : forest.trees) result.trees.push_back(prune_pessimistic(tree, confidence));
  return result;
}

std::size_t bytes(Forest const& forest) {
  std::size_t total = sizeof forest;
  for (Tree const& tree : forest.trees) total += tree.bytes();
  return total;
}

}  // namespace

void bind_forest_class(nb::module_& m) {
  nb::class_<Forest>(m, "Forest", "Fitted trees on one table.")
      .def("__len__", [](Forest const& f) { return f.trees.size(); })
      .def("__getitem__", &Forest::at, "i"_a, nb::rv_policy::reference_internal)
      .def("__add__", &joined, "other"_a)
      .def("predict_proba", &probabilities, "X"_a.noconvert(), "smoothing"_a, "n_threads"_a = 1)
      .def("apply", &leaves, "X"_a.noconvert(), "Node in which each row ends, per tree: (rows, trees).")
      .def_prop_ro("feature_importances", &importances, nb::rv_policy::automatic)
      .def("out_of_bag", &out_of_bag_of, "dataset"_a, "smoothing"_a, "sampling"_a, "seed"_a, "weights"_a.noconvert().none() = nb::none(),
           "class_sizes"_a = nb::none(), "n_threads"_a = 1,
           "(sums, n_trees): leaf probabilities summed over the trees that did not see a row, and their number.")
      .def("pruned", &pruned, "confidence"_a, "Each tree after pessimistic pruning.")
      .def(
          "voters", [](Forest const& f, std::size_t cls) { return Forest{voters(f.trees, cls)}; }, "cls"_a,
          "The same trees with two classes and one case in each leaf: of class 1 where `cls` outweighs every other, else of class 0.")
      .def(
          "check_columns",
          [](Forest const& f, Vector<std::int32_t> n_categories) {
            for (Tree const& tree : f.trees) tree.check_columns(view(n_categories));
          },
          "n_categories"_a.noconvert(), "Raise unless the splits fit columns that have so many categories each, 0 for numbers.")
      .def("__getstate__", [](Forest const& f) { return to_arrays(f.trees); })
      .def("__setstate__", [](Forest& self, nb::dict const& arrays) { new (&self) Forest{from_arrays(arrays)}; })
      .def(
          "__deepcopy__", [](Forest const& self, nb::handle) { return Forest(self); }, "memo"_a)
      .def("__sizeof__", &bytes);
}

}  // namespace rarewood::bindings

void bind_forest(nanobind::module_& m) {
  using namespace rarewood::bindings;
  bind_forest_class(m);
  nb::class_<ForestPlan>(m, "ForestPlan",
                         "A forest to grow. With groups, class j of the table counts as class groups[j] and -1 leaves it out; with "
                         "sampling='subsample', each tree sees class_sizes[j] rows of class j, drawn without replacement.")
      .def(nb::init<nb::list, TreeOptions const&, std::size_t, std::string const&, std::optional<Vector<double>>,
                    std::optional<Vector<double>>, std::optional<std::vector<std::int32_t>>, std::optional<std::vector<std::size_t>>,
                    std::size_t>(),
           "criteria"_a, "options"_a, nb::kw_only(), "n_trees"_a, "sampling"_a, "weights"_a.noconvert().none() = nb::none(),
           "class_weights"_a.noconvert().none() = nb::none(), "groups"_a = nb::none(), "class_sizes"_a = nb::none(), "first_tree"_a = 0);
  m.def("grow_forests", &grow_plans, "dataset"_a, "plans"_a, nb::kw_only(), "n_threads"_a = 1, "progress"_a = nb::none(),
        "The forest of each plan; all their trees share the threads.");
  m.def("grow_forest", &grow_one, "dataset"_a, "criteria"_a, "options"_a, nb::kw_only(), "n_trees"_a, "sampling"_a,
        "weights"_a.noconvert().none() = nb::none(), "class_weights"_a.noconvert().none() = nb::none(), "groups"_a = nb::none(),
        "class_sizes"_a = nb::none(), "first_tree"_a = 0, "n_threads"_a = 1, "progress"_a = nb::none(), "The forest of one plan.");
  m.def("times_drawn", &drawn, "dataset"_a, "sampling"_a, "seed"_a, "tree"_a, "weights"_a.noconvert().none() = nb::none(),
        "class_sizes"_a = nb::none(), "How often a tree of the forest drew each row.");
}
