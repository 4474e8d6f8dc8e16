// Step functions of columns.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "arrays.hpp"
#include "forest_monitor.hpp"
#include "rarewood/step_fit.hpp"
#include "rarewood/steps.hpp"

namespace rarewood::bindings {

namespace {

using namespace nb::literals;

using Codes = nb::ndarray<std::uint8_t const, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Square = nb::ndarray<double const, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

StepCodes codes_of(Codes const& codes, std::vector<std::uint32_t> sizes) {
  if (codes.shape(0) != sizes.size()) throw std::invalid_argument("steps: sizes do not fit the codes");
  StepCodes on{codes.shape(1), {codes.data(), codes.size()}, std::move(sizes)};
  for (std::size_t t = 0; t < on.sizes.size(); ++t)
    if (std::any_of(on.term(t), on.term(t) + on.n_rows, [&](std::uint8_t code) { return code >= on.sizes[t]; }))
      throw std::invalid_argument("steps: a row is on a step that is none");
  return on;
}

LeftOut checked(LeftOut out, std::size_t n_rows) {
  if (out.begin > out.end || out.end > n_rows) throw std::invalid_argument("step rows: no such rows to leave out");
  return out;
}

// A fit and the arrays that it reads.
struct SharedStepFit {
  Codes codes;
  Vector<double> given;
  Vector<double> noisier;
  Vector<std::uint8_t> second;
  Vector<double> weight;
  Square penalty;
  std::size_t n_steps;
  StepFit fit;

  SharedStepFit(Codes codes_, std::vector<std::uint32_t> sizes, Vector<double> given_, Vector<double> noisier_,
                Vector<std::uint8_t> second_, Vector<double> weight_, double extrapolation, Square penalty_)
      : codes(std::move(codes_)),
        given(std::move(given_)),
        noisier(std::move(noisier_)),
        second(std::move(second_)),
        weight(std::move(weight_)),
        penalty(std::move(penalty_)),
        n_steps(std::reduce(sizes.begin(), sizes.end(), std::size_t{0})),
        fit({codes_of(codes, std::move(sizes)), view(given), view(noisier), view(second), view(weight), extrapolation},
            {penalty.data(), penalty.size()}) {
    std::size_t const n_rows = codes.shape(1);
    for (std::size_t const size : {given.shape(0), noisier.shape(0), second.shape(0), weight.shape(0)})
      if (size != n_rows) throw std::invalid_argument("StepFit: the rows do not fit the codes");
    if (penalty.shape(0) != n_steps || penalty.shape(1) != n_steps)
      throw std::invalid_argument("StepFit: the penalty does not fit the steps");
  }
};

Result<double> as_array(std::vector<double> values) {
  std::size_t const size = values.size();
  return to_result(std::move(values), {size});
}

}  // namespace

}  // namespace rarewood::bindings

void bind_steps(nanobind::module_& m) {
  using namespace rarewood;
  using namespace rarewood::bindings;
  m.def(
      "step_codes",
      [](Matrix const& table, Vector<std::int64_t> const& n_bounds, Vector<double> const& bounds) {
        MatrixView const matrix = view(table);
        std::int64_t total = 0;
        for (std::int64_t const n : view(n_bounds)) {
          if (n < 0 || n > 254) throw std::invalid_argument("step_codes: a column has 0 to 254 bounds");
          total += n;
        }
        if (n_bounds.shape(0) != matrix.columns || static_cast<std::size_t>(total) != bounds.shape(0))
          throw std::invalid_argument("step_codes: the bounds do not fit the columns");
        InterruptMonitor monitor;
        return to_result(monitor.run([&] { return step_codes(matrix, view(n_bounds), view(bounds)); }), {matrix.columns, matrix.rows});
      },
      "X"_a.noconvert(), "n_bounds"_a.noconvert(), "bounds"_a.noconvert(),
      "The step of each cell, columns x rows: how many of the bounds of its column lie below it, one past the last step where it is "
      "missing.");
  m.def(
      "pair_misfits",
      [](Codes const& codes, std::vector<std::uint32_t> sizes, std::vector<std::uint32_t> const& n_apart, Vector<double> const& lack,
         Vector<double> const& spread) {
        StepCodes const on = codes_of(codes, std::move(sizes));
        bool fits = n_apart.size() == on.sizes.size() && lack.shape(0) == on.n_rows && spread.shape(0) == on.n_rows;
        for (std::size_t t = 0; fits && t < n_apart.size(); ++t) fits = n_apart[t] < on.sizes[t];
        if (!fits) throw std::invalid_argument("pair_misfits: the arrays do not fit each other");
        InterruptMonitor monitor;
        return as_array(monitor.run([&] { return pair_misfits(on, n_apart, view(lack), view(spread)); }));
      },
      "codes"_a.noconvert(), "sizes"_a, "n_apart"_a, "lack"_a.noconvert(), "spread"_a.noconvert(),
      "Of terms (1, 0), (2, 0), (2, 1), ...: the largest sum of squared residuals over their variance in the four quarters around a "
      "point.");
  nb::class_<SharedStepFit>(m, "StepFit",
                            "Step functions of terms that make given log-odds more likely; unknowns are the values, then offset and slope.")
      .def(nb::init<Codes, std::vector<std::uint32_t>, Vector<double>, Vector<double>, Vector<std::uint8_t>, Vector<double>, double,
                    Square>(),
           "codes"_a.noconvert(), "sizes"_a, "given"_a.noconvert(), "noisier"_a.noconvert(), "second"_a.noconvert(), "weight"_a.noconvert(),
           "extrapolation"_a, "penalty"_a.noconvert())
      .def(
          "fit",
          [](SharedStepFit& self) {
            InterruptMonitor monitor;
            return as_array(monitor.run([&] { return self.fit.fit(); }));
          },
          "To all rows.")
      .def(
          "fit_without",
          [](SharedStepFit const& self, std::size_t begin, std::size_t end) {
            LeftOut const out = checked({begin, end}, self.given.shape(0));
            InterruptMonitor monitor;
            return as_array(monitor.run([&] { return self.fit.fit_without(out); }));
          },
          "begin"_a, "end"_a, "To all rows but some, once `fit` was called.")
      .def(
          "log_odds",
          [](SharedStepFit const& self, Vector<double> const& found) {
            if (found.shape(0) != self.n_steps + 2) throw std::invalid_argument("StepFit: these are no values of its steps");
            return as_array(self.fit.log_odds(view(found)));
          },
          "found"_a.noconvert(), "Of all rows, from what is given.");
}
