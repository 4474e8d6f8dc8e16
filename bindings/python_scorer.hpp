// A Python function as a criterion, and the one place that turns what Python passes as criterion into a Scorer.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "rarewood/scorer.hpp"

namespace rarewood::bindings {

namespace nb = nanobind;

// Calls `function(left, right) -> scores` once per batch, on arrays (candidates, classes) that the function may keep or change.
// Takes the GIL for each call, so it works on any thread. Errors of the function leave as nb::python_error.
class PythonScorer final : public Scorer {
 public:
  explicit PythonScorer(nb::object function);  // with the GIL

  SearchTraits traits() const override { return {}; }  // nothing is known about the function
  bool is_slow() const override { return true; }
  void enter_node(Counts) override {}
  void score(BinaryBatch const& batch, std::span<double> scores) override;
  double score(DenseTable const& table) override;
  std::unique_ptr<Scorer> clone() const override { return std::make_unique<PythonScorer>(*this); }

  nb::object function() const { return *function_; }  // with the GIL

 private:
  std::shared_ptr<nb::object> function_;  // shared, so that copies need no GIL; released with the GIL
};

// A function that may be a criterion. Throws nb::type_error for anything else.
nb::object checked_function(nb::handle criterion);

// A CriterionSpec or a Python function. Needs the GIL. Throws nb::type_error for anything else.
std::unique_ptr<Scorer> make_any_scorer(nb::handle criterion, std::size_t n_classes);

}  // namespace rarewood::bindings
