// The dataset together with the arrays it looks into, and checks of arrays: what the tree and forest bindings share.
#pragma once

#include <string>
#include <variant>

#include "arrays.hpp"
#include "rarewood/dataset.hpp"
#include "rarewood/predict.hpp"

namespace rarewood::bindings {

struct SharedDataset {
  Matrix table;
  Dataset data;
  Vector<std::uint8_t> packed = {};
};

// The view of a table that trees grown on n_features columns will read.
inline MatrixView checked(std::size_t n_features, Matrix const& table) {
  MatrixView const matrix = view(table);
  if (matrix.columns != n_features)
    throw nb::value_error(
        ("the table has " + std::to_string(matrix.columns) + " columns, the trees were grown on " + std::to_string(n_features)).c_str());
  return matrix;
}

// Pseudo-counts as Python gives them: one number for every class, or one per class.
using GivenPseudoCounts = std::variant<double, Vector<double>>;

inline PseudoCounts pseudo_counts_of(GivenPseudoCounts const& given, std::size_t n_classes) {
  if (double const* const each = std::get_if<double>(&given)) return {*each, n_classes};
  auto const values = view(std::get<Vector<double>>(given));
  if (values.size() != n_classes)
    throw nb::value_error(
        ("there are " + std::to_string(n_classes) + " classes but " + std::to_string(values.size()) + " pseudo-counts").c_str());
  return PseudoCounts({values.begin(), values.end()});
}

// One way to smooth leaves, or several.
using SeveralPseudoCounts = std::variant<double, Vector<double>, std::vector<Vector<double>>>;

inline std::vector<PseudoCounts> pseudo_counts_of(SeveralPseudoCounts const& given, std::size_t n_classes) {
  if (double const* const each = std::get_if<double>(&given)) return {PseudoCounts(*each, n_classes)};
  if (auto const* const one = std::get_if<Vector<double>>(&given)) return {pseudo_counts_of(GivenPseudoCounts(*one), n_classes)};
  std::vector<PseudoCounts> several;
  for (Vector<double> const& each : std::get<std::vector<Vector<double>>>(given))
    several.push_back(pseudo_counts_of(GivenPseudoCounts(each), n_classes));
  if (several.empty()) throw nb::value_error("pseudo_counts is an empty list");
  return several;
}

}  // namespace rarewood::bindings
