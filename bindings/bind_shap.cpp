// Contributions of columns to scores.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "arrays.hpp"
#include "forest_monitor.hpp"
#include "rarewood/shap.hpp"
#include "shared_dataset.hpp"

namespace rarewood::bindings {

namespace {

using namespace nb::literals;

nb::tuple contributions(std::span<Tree const> trees, Matrix const& table, GivenPseudoCounts const& given,
                        std::optional<Vector<double>> const& tree_weights, Explaining const& how) {
  Tree const& first = trees.front();
  MatrixView const matrix = checked(first.n_features, table);
  PseudoCounts const pseudo_counts = pseudo_counts_of(given, first.n_classes);
  std::span<double const> const weights = tree_weights ? view(*tree_weights) : std::span<double const>{};
  InterruptMonitor monitor;
  Contributions found = monitor.run([&] { return explain(trees, matrix, pseudo_counts, weights, how, monitor); });
  std::size_t const n_outputs = how.classes.size();
  nb::object variances = nb::none();
  if (!found.variances.empty()) variances = nb::cast(to_result(std::move(found.variances), {matrix.rows, first.n_features, n_outputs}));
  return nb::make_tuple(to_result(std::move(found.base), {n_outputs}),
                        to_result(std::move(found.values), {matrix.rows, first.n_features, n_outputs}), variances);
}

}  // namespace

}  // namespace rarewood::bindings

void bind_shap(nanobind::module_& m) {
  using namespace rarewood;
  using namespace rarewood::bindings;
  constexpr char const* told =
      "(base, values, variances): the value of knowing nothing, one per class asked for; contributions of the columns, rows x columns x "
      "classes; the variances of those that were sampled, or None if all are exact.";
  m.def(
      "contributions",
      [](Forest const& forest, Matrix const& table, GivenPseudoCounts const& given, std::vector<std::uint32_t> classes,
         std::optional<Vector<double>> const& tree_weights, std::uint32_t n_pairs, std::uint64_t seed, unsigned n_threads) {
        return contributions(forest.trees, table, given, tree_weights, {std::move(classes), n_pairs, seed, n_threads});
      },
      "forest"_a, "X"_a.noconvert(), "pseudo_counts"_a, "classes"_a, "tree_weights"_a.noconvert().none() = nb::none(), "n_pairs"_a = 16,
      "seed"_a = 0, "n_threads"_a = 1, told);
  m.def(
      "contributions",
      [](Tree const& tree, Matrix const& table, GivenPseudoCounts const& given, std::vector<std::uint32_t> classes,
         std::optional<Vector<double>> const& tree_weights, std::uint32_t n_pairs, std::uint64_t seed, unsigned n_threads) {
        return contributions({&tree, 1}, table, given, tree_weights, {std::move(classes), n_pairs, seed, n_threads});
      },
      "tree"_a, "X"_a.noconvert(), "pseudo_counts"_a, "classes"_a, "tree_weights"_a.noconvert().none() = nb::none(), "n_pairs"_a = 16,
      "seed"_a = 0, "n_threads"_a = 1, told);
}
