// The rows of a table that was filled, in the caller's order, for whoever takes rows and not columns: there is no matrix behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rarewood/dataset.hpp"

namespace rarewood {

// Looks into the table, which must outlive it; 4 bytes per row are its own.
class DatasetRows {
 public:
  explicit DatasetRows(Dataset const& data);

  std::size_t rows;
  std::size_t columns;
  bool is_double;  // some column holds numbers that float32 does not

  // Rows [begin, begin + n), row by row: numbers, or codes of categories; NaN is missing.
  template <class T>
  void copy(std::size_t begin, std::size_t n, T* cells) const {
    for (std::size_t f = 0; f < columns; ++f) {
      for (std::size_t r = 0; r < n; ++r) cells[r * columns + f] = static_cast<T>(data_->cell(position_of_row_[begin + r], f));
    }
  }

  // Some columns of some rows, row by row. Throws std::invalid_argument where there is no such row or column.
  std::vector<double> cells(std::span<std::int64_t const> numbers, std::span<std::int64_t const> features) const;

 private:
  Dataset const* data_;
  std::vector<Position> position_of_row_;
};

}  // namespace rarewood
