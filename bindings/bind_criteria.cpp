// Criteria by name and parameters, their traits, and the score of one table.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "python_scorer.hpp"
#include "rarewood/criteria.hpp"

namespace rarewood::bindings {
namespace {

using Table = nb::ndarray<double const, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

std::string repr(CriterionSpec const& spec) {
  nb::str const text = nb::str("CriterionSpec(name={!r}, alpha={!r}, reference={!r})").format(spec.name, spec.alpha, spec.reference);
  return text.c_str();
}

nb::dict traits_dict(CriterionSpec const& spec) {
  SearchTraits const traits = criterion_traits(spec);
  nb::dict result;
  result["run_ends_suffice"] = traits.run_ends_suffice;
  result["prefix_subset_is_best"] = traits.prefix_subset_is_best;
  result["sort_by_class_bipartitions"] = traits.sort_by_class_bipartitions;
  result["hellinger_breaks_ties"] = traits.hellinger_breaks_ties;
  result["quinlan_selection"] = traits.quinlan_selection;
  result["no_split_scores_zero"] = traits.no_split_scores_zero;
  result["max_classes"] = traits.max_classes;
  return result;
}

double score(nb::object const& criterion, Table const& counts) {
  auto const scorer = make_any_scorer(criterion, counts.shape(1));
  return score_table(*scorer, {counts.data(), counts.shape(0), counts.shape(1)});
}

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

void bind_criteria(nanobind::module_& m) {
  namespace nb = nanobind;
  using namespace nb::literals;
  using namespace rarewood;
  using namespace rarewood::bindings;

  nb::class_<CriterionSpec>(m, "CriterionSpec", "A split criterion by name, with its parameters.")
      .def(
          "__init__",
          [](CriterionSpec* self, std::string name, double alpha, std::string reference) {
            new (self) CriterionSpec{std::move(name), alpha, std::move(reference)};
          },
          "name"_a, "alpha"_a = 0.5, "reference"_a = "marginal")
      .def_ro("name", &CriterionSpec::name)
      .def_ro("alpha", &CriterionSpec::alpha)
      .def_ro("reference", &CriterionSpec::reference)
      .def("__getstate__", [](CriterionSpec const& s) { return std::make_tuple(s.name, s.alpha, s.reference); })
      .def("__setstate__",
           [](CriterionSpec& self, std::tuple<std::string, double, std::string> const& state) {
             new (&self) CriterionSpec{std::get<0>(state), std::get<1>(state), std::get<2>(state)};
           })
      .def("__repr__", &repr);

  m.attr("MOST_ENUMERATED_CLASSES") = most_enumerated_classes();
  m.def("criterion_names", &criterion_names, "The names a CriterionSpec may have.");
  m.def("criterion_traits", &traits_dict, "spec"_a, nb::sig("def criterion_traits(spec: CriterionSpec) -> dict[str, int]"),
        "What a search may take for granted; max_classes is 0 for any number.");
  m.def("score", &score, "criterion"_a, "counts"_a.noconvert(), "Score of the split with these class counts, children x classes.");
  m.def("score_candidates", &score_candidates, "criterion"_a, "left"_a.noconvert(), "right"_a.noconvert(),
        "Scores of many binary splits of one node: class counts of the two children, candidates x classes.");
  m.def("bound_candidates", &bound_candidates, "criterion"_a, "left"_a.noconvert(), "parent"_a.noconvert(),
        "class_weights"_a.noconvert().none() = nb::none(),
        "Upper bounds on their scores, by which candidates are screened: whole counts on the left, candidates x classes, and of the node, "
        "both before class weights. None where a criterion has no bound, or not at this node.");
}
