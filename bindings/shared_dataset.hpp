// The dataset together with the array it looks into, and the options of growth: what the tree and forest bindings share.
#pragma once

#include <optional>

#include "arrays.hpp"
#include "rarewood/growth.hpp"

namespace rarewood::bindings {

struct SharedDataset {
  Matrix table;
  Dataset data;
};

struct TreeOptions {
  GrowthOptions growth;
  std::uint64_t seed;
};

inline std::span<double const> view_or_empty(std::optional<Vector<double>> const& vector) {
  return vector ? view(*vector) : std::span<double const>{};
}

// The view of a table that trees grown on n_features columns will walk.
inline MatrixView checked(std::size_t n_features, Matrix const& table) {
  MatrixView const matrix = view(table);
  if (matrix.columns != n_features)
    throw nb::value_error(
        ("the table has " + std::to_string(matrix.columns) + " columns, the trees were grown on " + std::to_string(n_features)).c_str());
  return matrix;
}

}  // namespace rarewood::bindings
