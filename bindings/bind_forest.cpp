// Growing forests and what comes out of them.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>

#include "arrays.hpp"
#include "forest_monitor.hpp"
#include "rarewood/forest.hpp"
#include "rarewood/monotone.hpp"
#include "rarewood/out_of_bag.hpp"
#include "rarewood/prune.hpp"
#include "rarewood/votes.hpp"
#include "shared_dataset.hpp"
#include "tree_state.hpp"

namespace rarewood::bindings {

namespace {

using namespace nb::literals;

Tree const& tree_at(Forest const& forest, std::int64_t i) {
  if (i < 0 || static_cast<std::size_t>(i) >= forest.trees.size()) throw nb::index_error(("there is no tree " + std::to_string(i)).c_str());
  return forest.trees[static_cast<std::size_t>(i)];
}

Forest part(Forest const& forest, std::size_t begin, std::size_t end) {
  if (begin >= end || end > forest.trees.size()) throw nb::index_error("there are no such trees");
  return Forest{{forest.trees.begin() + static_cast<std::ptrdiff_t>(begin), forest.trees.begin() + static_cast<std::ptrdiff_t>(end)}};
}

std::vector<Forest> grow(SharedDataset const& dataset, std::vector<ForestPlan const*> const& plans, unsigned n_threads,
                         nb::object const& progress) {
  InterruptMonitor monitor(progress);
  return monitor.run([&] { return grow_forests(dataset.data, plans, n_threads, monitor); });
}

Result<double> probabilities(Forest const& forest, Matrix const& table, GivenPseudoCounts const& given, unsigned n_threads,
                             std::optional<Vector<double>> const& tree_weights) {
  MatrixView const matrix = checked(forest.n_features(), table);
  PseudoCounts const pseudo_counts = pseudo_counts_of(given, forest.n_classes());
  std::span<double const> const weights = tree_weights ? view(*tree_weights) : std::span<double const>{};
  std::vector<double> result(matrix.rows * forest.n_classes());
  InterruptMonitor monitor;
  monitor.run([&] { predict_proba(forest.trees, matrix, pseudo_counts, weights, result, n_threads, monitor); });
  return to_result(std::move(result), {matrix.rows, forest.n_classes()});
}

Result<std::int64_t> leaves(Forest const& forest, Matrix const& table) {
  MatrixView const matrix = checked(forest.n_features(), table);
  std::vector<std::int64_t> result(matrix.rows * forest.trees.size());
  InterruptMonitor monitor;
  monitor.run([&] { apply(forest.trees, matrix, result, monitor); });
  return to_result(std::move(result), {matrix.rows, forest.trees.size()});
}

nb::tuple sums_of(OutOfBag result) {
  std::size_t const rows = result.n_trees.size(), width = result.sums.size() / rows;
  return nb::make_tuple(to_numpy(std::move(result.sums), {rows, width}), to_numpy(std::move(result.n_trees)));
}

nb::tuple out_of_bag_sums(Forest const& forest, SharedDataset const& dataset, ForestPlan const& plan, SeveralPseudoCounts const& given,
                          unsigned n_threads, bool by_half) {
  std::vector<PseudoCounts> const pseudo_counts = pseudo_counts_of(given, forest.n_classes());
  InterruptMonitor monitor;
  OutOfBag half;
  OutOfBag* const wanted = by_half ? &half : nullptr;
  OutOfBag all = monitor.run([&] { return out_of_bag(dataset.data, plan, forest.trees, pseudo_counts, n_threads, monitor, wanted); });
  if (!by_half) return sums_of(std::move(all));
  return nb::make_tuple(sums_of(std::move(all)), sums_of(std::move(half)));
}

Forest pruned(Forest const& forest, double confidence) {
  Forest result;
  for (Tree const& tree : forest.trees) result.trees.push_back(prune_pessimistic(tree, confidence));
  return result;
}

Forest with_restrained_leaves(Forest const& forest, std::vector<std::int8_t> const& signs, double prior) {
  Forest result;
  for (Tree const& tree : forest.trees) result.trees.push_back(restrained(tree, signs, prior));
  return result;
}

}  // namespace

void bind_forest_class(nb::module_& m) {
  nb::class_<Forest>(m, "Forest", "Fitted trees on one table.")
      .def("__len__", [](Forest const& f) { return f.trees.size(); })
      .def("__getitem__", &tree_at, "i"_a, nb::rv_policy::reference_internal)
      .def("__add__", &joined, "other"_a)
      .def("part", &part, "begin"_a, "end"_a, "The trees from number `begin` to before `end`.")
      .def("predict_proba", &probabilities, "X"_a.noconvert(), "pseudo_counts"_a, "n_threads"_a = 1,
           "tree_weights"_a.noconvert().none() = nb::none(),
           "Mean over the trees of the leaf probabilities, or with tree_weights the sum of weight x probabilities. pseudo_counts: a number "
           "for every class, or one per class.")
      .def("apply", &leaves, "X"_a.noconvert(), "Node in which each row ends, per tree: (rows, trees).")
      .def_prop_ro(
          "feature_importances", [](Forest const& f) { return to_numpy(f.importances()); }, nb::rv_policy::automatic)
      .def("out_of_bag", &out_of_bag_sums, "dataset"_a, "plan"_a, "pseudo_counts"_a, "n_threads"_a = 1, "by_half"_a = false,
           "(sums, n_trees): leaf probabilities summed over the trees that did not see a row, and their number; with by_half, a pair of "
           "these: of all trees, and of the first half of them. plan: the one that the forest was grown by. With a list of several "
           "pseudo_counts, "
           "sums has the columns of one behind those of the other.")
      .def("pruned", &pruned, "confidence"_a, "Each tree after pessimistic pruning.")
      .def("restrained", &with_restrained_leaves, "signs"_a, "prior"_a,
           "Each tree with leaves that obey the signs of the columns (see ForestPlan), smoothed by up to MOST_LEAF_WEIGHT cases of which "
           "the second class has the part `prior`.")
      .def(
          "voters", [](Forest const& f, std::size_t cls) { return Forest{voters(f.trees, cls)}; }, "cls"_a,
          "The same trees with two classes and one case in each leaf: of class 1 where `cls` outweighs every other, else of class 0.")
      .def(
          "check_columns",
          [](Forest const& f, Vector<std::int32_t> n_categories) {
            for (Tree const& tree : f.trees) tree.check_columns(view(n_categories));
          },
          "n_categories"_a.noconvert(), "Raise unless the splits fit columns that have so many categories each, 0 for numbers.")
      .def(
          "__init__", [](Forest* self, nb::dict const& arrays) { new (self) Forest{from_arrays(arrays)}; }, "arrays"_a,
          "From what __getstate__ gives.")
      .def("__reduce__", [](nb::object const& self) { return nb::make_tuple(self.type(), nb::make_tuple(self.attr("__getstate__")())); })
      .def("__getstate__", [](Forest const& f) { return to_arrays(f.trees); })
      .def("__setstate__", [](Forest& self, nb::dict const& arrays) { new (&self) Forest{from_arrays(arrays)}; })
      .def(
          "__deepcopy__", [](Forest const& self, nb::handle) { return Forest(self); }, "memo"_a)
      .def("__sizeof__", &Forest::bytes);
}

}  // namespace rarewood::bindings

void bind_forest(nanobind::module_& m) {
  using namespace rarewood::bindings;
  bind_forest_class(m);
  m.attr("MOST_LEAF_WEIGHT") = rarewood::most_leaf_weight;
  m.def("grow_forests", &grow, "dataset"_a, "plans"_a, nb::kw_only(), "n_threads"_a = 1, "progress"_a = nb::none(),
        "The forest of each plan; all their trees share the threads.");
}
