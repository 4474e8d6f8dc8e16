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
  result["absent_classes_do_not_matter"] = traits.absent_classes_do_not_matter;
  result["max_classes"] = traits.max_classes;
  return result;
}

double score(nb::object const& criterion, Table const& counts) {
  auto const scorer = make_any_scorer(criterion, counts.shape(1));
  return score_table(*scorer, {counts.data(), counts.shape(0), counts.shape(1)});
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
}
