// The training table.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "arrays.hpp"
#include "forest_monitor.hpp"
#include "rarewood/dataset_rows.hpp"
#include "shared_dataset.hpp"

namespace rarewood::bindings {
namespace {

SharedDataset make(Matrix table, Vector<std::int32_t> const& n_categories, Vector<std::int32_t> const& y, std::size_t n_classes) {
  MatrixView const matrix = view(table);
  Dataset data = InterruptMonitor().run([&] { return Dataset(matrix, view(n_categories), view(y), n_classes); });
  return {std::move(table), std::move(data)};
}

NumpyArray<bool> missing(SharedDataset const& dataset) {
  InterruptMonitor monitor;
  std::vector<std::uint8_t> const columns = monitor.run([&] { return dataset.data.missing_columns(monitor); });
  auto* const flags = new bool[columns.size() + 1];
  nb::capsule owner(flags, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
  std::copy(columns.begin(), columns.end(), flags);
  return NumpyArray<bool>(flags, {columns.size()}, owner);
}

Result<double> cells(SharedDataset const& dataset, Vector<std::int64_t> const& rows, Vector<std::int64_t> const& columns) {
  auto const numbers = view(rows), features = view(columns);
  std::vector<double> found = InterruptMonitor().run([&] { return DatasetRows(dataset.data).cells(numbers, features); });
  return to_result(std::move(found), {numbers.size(), features.size()});
}

}  // namespace
}  // namespace rarewood::bindings

void bind_dataset(nanobind::module_& m) {
  using namespace rarewood::bindings;
  using namespace nb::literals;
  nb::class_<SharedDataset>(
      m, "Dataset",
      "A training table: rows grouped by class, columns in the forms that the plans grown on it read, made when first "
      "needed. Looks into X without copying it.")
      .def(
          "__init__",
          [](SharedDataset* self, Matrix table, Vector<std::int32_t> const& n_categories, Vector<std::int32_t> const& y,
             std::size_t n_classes) { new (self) SharedDataset(make(std::move(table), n_categories, y, n_classes)); },
          "X"_a.noconvert(), "n_categories"_a.noconvert(), "y"_a.noconvert(), "n_classes"_a)
      .def(
          "relabelled",
          [](SharedDataset const& d, std::vector<std::int32_t> const& class_map) {
            return SharedDataset{d.table, d.data.relabelled(class_map), d.packed};
          },
          "class_map"_a, "The same table for another problem: class j counts as class class_map[j], -1 leaves it out. Shares the columns.")
      .def(
          "fill",
          [](SharedDataset& d, std::size_t feature, std::size_t first, std::variant<Vector<float>, Vector<double>> const& cells) {
            std::visit(
                [&](auto const& array) {
                  auto const values = view(array);
                  nb::gil_scoped_release const released;
                  d.data.fill(feature, first, values);
                },
                cells);
          },
          "feature"_a, "first"_a, "cells"_a.noconvert(), "Cells of a column from row `first` on, of a table that TableShape.table made.")
      .def(
          "end_filling", [](SharedDataset& d) { d.data.end_filling(); }, "No more columns come: frees what filling them needs.")
      .def(
          "release", [](SharedDataset& d) { d.data.release(); },
          "Frees the columns, when all trees are grown: they are made again if they are needed again. A table that was filled keeps them.")
      .def(
          "packed",
          [](SharedDataset const& d) {
            std::vector<std::uint8_t> bytes = InterruptMonitor().run([&] { return d.data.packed(); });
            std::size_t const size = bytes.size();
            return to_numpy(std::move(bytes), {size});
          },
          "A table that was filled, as bytes that TableShape.unpacked looks into.")
      .def("cells", &cells, "rows"_a.noconvert(), "columns"_a.noconvert(), nb::rv_policy::automatic,
           "Some columns of some rows of a table that was filled: numbers, or codes of categories; NaN is missing.")
      .def_prop_ro("n_rows", [](SharedDataset const& d) { return d.data.n_rows(); })
      .def_prop_ro("n_features", [](SharedDataset const& d) { return d.data.n_features(); })
      .def_prop_ro("n_classes", [](SharedDataset const& d) { return d.data.n_classes(); })
      .def_prop_ro("has_missing", &missing, "Whether any row misses the column, per column; free once a forest was grown.",
                   nb::rv_policy::automatic);
}
