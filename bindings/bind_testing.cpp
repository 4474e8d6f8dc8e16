// rarewood._core.testing: what tests alone look at or switch. Nothing in the package uses it.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <optional>
#include <vector>

#include "arrays.hpp"
#include "python_scorer.hpp"
#include "rarewood/criteria.hpp"
#include "rarewood/forest.hpp"
#include "rarewood/prune.hpp"
#include "rarewood/vectors.hpp"
#include "shared_dataset.hpp"

namespace rarewood::bindings {
namespace {

struct Testing {};  // a class, not a module: the type stub stays one file

using Table = nb::ndarray<double const, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// As a splitter would ask: in batches stored class by class.
NumpyArray<double> score_candidates(nb::object const& criterion, Table const& left, Table const& right) {
  std::size_t const n = left.shape(0);
  std::size_t const n_classes = left.shape(1);
  if (n == 0 || right.shape(0) != n || right.shape(1) != n_classes)
    throw nb::value_error("left and right must have the same shape, and at least one row");
  std::vector<double> parent(n_classes), left_counts(n * n_classes), right_counts(n * n_classes), scores(n);
  for (std::size_t j = 0; j < n_classes; ++j) {
    parent[j] = left(0, j) + right(0, j);
    for (std::size_t i = 0; i < n; ++i) {
      left_counts[j * n + i] = left(i, j);
      right_counts[j * n + i] = right(i, j);
    }
  }
  auto const scorer = make_any_scorer(criterion, n_classes);
  scorer->enter_node(parent);
  scorer->score(BinaryBatch{left_counts.data(), right_counts.data(), n, n, n_classes}, scores);
  return to_numpy(std::move(scores));
}

// As screening asks: left counts before class weights, parent counts, both whole.
std::optional<NumpyArray<float>> bound_candidates(nb::object const& criterion, Table const& left, Vector<double> const& parent,
                                                  std::optional<Vector<double>> const& class_weights) {
  std::size_t const n = left.shape(0);
  std::size_t const n_classes = left.shape(1);
  std::span<double const> const weights = class_weights ? view(*class_weights) : std::span<double const>{};
  if (parent.size() != n_classes || (class_weights && weights.size() != n_classes))
    throw nb::value_error("left, parent and class_weights must have the same number of classes");
  std::vector<double> totals(view(parent).begin(), view(parent).end());
  std::vector<double> weighted(totals);
  for (std::size_t j = 0; j < weights.size(); ++j) weighted[j] *= weights[j];
  totals.push_back(std::accumulate(totals.begin(), totals.end(), 0.0));
  std::size_t const stride = n + screen_lanes;
  std::vector<float> counts(n_classes * stride), bounds(stride);
  for (std::size_t j = 0; j < n_classes; ++j) {
    for (std::size_t i = 0; i < n; ++i) counts[j * stride + i] = static_cast<float>(left(i, j));
  }
  auto const scorer = make_any_scorer(criterion, n_classes);
  scorer->enter_node(weighted);
  ScreenNode node;
  if (!scorer->has_bound() || !node.enter(totals, weights, std::accumulate(weighted.begin(), weighted.end(), 0.0))) return std::nullopt;
  scorer->bound({node, counts.data(), stride, n}, bounds.data());
  bounds.resize(n);
  return to_numpy(std::move(bounds));
}

}  // namespace
}  // namespace rarewood::bindings

void bind_testing(nanobind::module_& m) {
  namespace nb = nanobind;
  using namespace nb::literals;
  using namespace rarewood::bindings;
  nb::class_<Testing>(m, "testing", "What tests alone look at or switch.")
      .def_static("score_candidates", &score_candidates, "criterion"_a, "left"_a.noconvert(), "right"_a.noconvert(),
                  "Scores of many binary splits of one node: class counts of the two children, candidates x classes.")
      .def_static("bound_candidates", &bound_candidates, "criterion"_a, "left"_a.noconvert(), "parent"_a.noconvert(),
                  "class_weights"_a.noconvert().none() = nb::none(),
                  "Upper bounds on their scores, by which candidates are screened: whole counts on the left, candidates x classes, and of "
                  "the node, "
                  "both before class weights. None where a criterion has no bound, or not at this node.")
      .def_static("allow_vectors", &rarewood::allow_vectors, "wanted"_a,
                  "Whether fits and predictions may use vector instructions, which changes no result; returns whether they will.")
      .def_static(
          "times_drawn",
          [](SharedDataset const& dataset, rarewood::ForestPlan const& plan, std::size_t tree) {
            return to_numpy(rarewood::times_drawn(dataset.data, plan, tree));
          },
          "dataset"_a, "plan"_a, "tree"_a, "How often tree number `tree` of the plan's forest draws each row.")
      .def_static("pessimistic_extra_errors", &rarewood::pessimistic_extra_errors, "cases"_a, "errors"_a, "confidence"_a);
}
