// A table of float32 or float64 numbers with any strides, owned by someone else. Nominal columns hold category codes as numbers; NaN = missing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rarewood {

struct MatrixView {
  std::byte const* data = nullptr;
  bool is_double = false;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::ptrdiff_t row_stride = 0;     // bytes
  std::ptrdiff_t column_stride = 0;  // bytes

  double at(std::size_t row, std::size_t column) const {
    std::byte const* cell = address(row, column);
    if (is_double) return load<double>(cell);
    return static_cast<double>(load<float>(cell));
  }

  template <class T>
  T get(std::size_t row, std::size_t column) const {
    return load<T>(address(row, column));
  }

  // Rows are contiguous runs of T: the layout prediction can use without copying.
  template <class T>
  bool is_row_major() const {
    return is_double == (sizeof(T) == sizeof(double)) && column_stride == static_cast<std::ptrdiff_t>(sizeof(T)) &&
           row_stride % static_cast<std::ptrdiff_t>(sizeof(T)) == 0 && reinterpret_cast<std::uintptr_t>(data) % alignof(T) == 0;
  }

 private:
  template <class T>
  static T load(std::byte const* cell) {
    T value;
    std::memcpy(&value, cell, sizeof value);  // NumPy allows unaligned arrays
    return value;
  }

  std::byte const* address(std::size_t row, std::size_t column) const {
    return data + static_cast<std::ptrdiff_t>(row) * row_stride + static_cast<std::ptrdiff_t>(column) * column_stride;
  }
};

}  // namespace rarewood
