#include "python_scorer.hpp"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "rarewood/criteria.hpp"

namespace rarewood::bindings {
namespace {

using Scores = nb::ndarray<double const, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A NumPy array (candidates, classes) of its own memory.
nb::object counts_array(double const* counts, BinaryBatch const& batch) {
  auto* copy = new std::vector<double>(batch.size * batch.n_classes);
  nb::capsule owner(copy, [](void* p) noexcept { delete static_cast<std::vector<double>*>(p); });
  for (std::size_t i = 0; i < batch.size; ++i) {
    for (std::size_t j = 0; j < batch.n_classes; ++j) (*copy)[i * batch.n_classes + j] = counts[j * batch.stride + i];
  }
  return nb::cast(nb::ndarray<nb::numpy, double, nb::ndim<2>>(copy->data(), {batch.size, batch.n_classes}, owner));
}

std::string text(nb::handle object) { return nb::str(object).c_str(); }

std::string name_of(nb::handle function) {
  return text(nb::hasattr(function, "__name__") ? function.attr("__name__") : function.type().attr("__name__"));
}

[[noreturn]] void refuse(nb::handle function, std::string const& returned, std::size_t n_candidates) {
  throw nb::value_error(("criterion function '" + name_of(function) + "' returned " + returned +
                         "; expected one real number per candidate, here an array of shape (" + std::to_string(n_candidates) + ",)")
                            .c_str());
}

// What the function returned as float64 (candidates,), or an error that says what it returned.
Scores checked_scores(nb::handle function, nb::handle returned, std::size_t n_candidates) {
  nb::module_ const numpy = nb::module_::import_("numpy");
  nb::object array;
  try {
    array = numpy.attr("asarray")(returned);
  } catch (nb::python_error const&) {
    refuse(function, "a " + text(returned.type().attr("__name__")) + " that is no array", n_candidates);
  }
  std::string const kind = text(array.attr("dtype").attr("kind"));
  if (std::string("biuf").find(kind) == std::string::npos) {
    refuse(function, "a " + text(returned.type().attr("__name__")) + " of dtype " + text(array.attr("dtype")), n_candidates);
  }
  if (nb::cast<std::size_t>(array.attr("ndim")) != 1 || nb::cast<std::size_t>(array.attr("size")) != n_candidates) {
    refuse(function, "an array of shape " + text(array.attr("shape")), n_candidates);
  }
  return nb::cast<Scores>(numpy.attr("ascontiguousarray")(array, numpy.attr("float64")));
}

std::string counts_text(double const* counts, BinaryBatch const& batch, std::size_t i) {
  std::string list;
  for (std::size_t j = 0; j < batch.n_classes; ++j) list += (j > 0 ? ", " : "") + text(nb::float_(counts[j * batch.stride + i]));
  return "[" + list + "]";
}

}  // namespace

PythonScorer::PythonScorer(nb::object function)
    : function_(new nb::object(std::move(function)), [](nb::object* kept) {
        nb::gil_scoped_acquire const gil;
        delete kept;
      }) {}

void PythonScorer::score(BinaryBatch const& batch, std::span<double> scores) {
  nb::gil_scoped_acquire const gil;
  nb::object const returned = (*function_)(counts_array(batch.left, batch), counts_array(batch.right, batch));
  Scores const given = checked_scores(*function_, returned, batch.size);
  for (std::size_t i = 0; i < batch.size; ++i) {
    if (std::isnan(given(i))) {
      refuse(*function_,
             "NaN for left counts " + counts_text(batch.left, batch, i) + " and right counts " + counts_text(batch.right, batch, i),
             batch.size);
    }
    scores[i] = given(i);
  }
}

double PythonScorer::score(DenseTable const& table) {
  if (table.children() != 2) {
    throw std::invalid_argument("a criterion function scores splits with two children, got " + std::to_string(table.children()));
  }
  double result = 0.0;
  score(BinaryBatch{table.counts, table.counts + table.n_classes, 1, 1, table.n_classes}, {&result, 1});
  return result;
}

nb::object checked_function(nb::handle criterion) {
  if (PyCallable_Check(criterion.ptr()) != 0) return nb::borrow(criterion);
  throw nb::type_error(
      ("criterion must be a CriterionSpec or a function score(left, right), got a " + text(criterion.type().attr("__name__"))).c_str());
}

std::unique_ptr<Scorer> make_any_scorer(nb::handle criterion, std::size_t n_classes) {
  if (nb::isinstance<CriterionSpec>(criterion)) return make_scorer(nb::cast<CriterionSpec const&>(criterion), n_classes);
  return std::make_unique<PythonScorer>(checked_function(criterion));
}

}  // namespace rarewood::bindings
