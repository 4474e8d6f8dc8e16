// NumPy arrays <-> what the core wants. Shapes and types are checked here; nothing is copied on the way in.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <span>
#include <vector>

#include "rarewood/matrix_view.hpp"

namespace rarewood::bindings {

namespace nb = nanobind;

using Matrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
template <class T>
using Vector = nb::ndarray<T const, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using NumpyArray = nb::ndarray<nb::numpy, T const>;  // what a fitted tree shows: read-only
template <class T>
using Result = nb::ndarray<nb::numpy, T>;  // what a prediction returns: the user's own

inline MatrixView view(Matrix const& matrix) {
  bool const is_double = matrix.dtype() == nb::dtype<double>();
  if (!is_double && matrix.dtype() != nb::dtype<float>()) throw nb::type_error("the table must be float32 or float64");
  auto const item = static_cast<std::ptrdiff_t>(is_double ? sizeof(double) : sizeof(float));
  return {static_cast<std::byte const*>(matrix.data()),
          is_double,
          matrix.shape(0),
          matrix.shape(1),
          matrix.stride(0) * item,
          matrix.stride(1) * item};
}

template <class T>
std::span<T const> view(Vector<T> const& vector) {
  return {vector.data(), vector.shape(0)};
}

// NumPy arrays that own `values`.
template <class Array, class T>
Array owning_array(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return Array(kept->data(), shape, owner);
}

template <class T>
Result<T> to_result(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  return owning_array<Result<T>>(std::move(values), shape);
}

template <class T>
NumpyArray<T> to_numpy(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  return owning_array<NumpyArray<T>>(std::move(values), shape);
}

template <class T>
NumpyArray<T> to_numpy(std::vector<T> values) {
  std::size_t const size = values.size();
  return to_numpy(std::move(values), {size});
}

}  // namespace rarewood::bindings
