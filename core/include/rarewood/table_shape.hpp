// What all parts of a table have in common.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rarewood/dataset.hpp"

namespace rarewood {

// What is true of all parts of a table.
struct TableShape {
  std::vector<std::int32_t> n_categories;  // 0 for numbers
  std::vector<std::uint8_t> wide;          // columns of numbers that float32 does not hold
  std::size_t n_classes = 0;

  Dataset table(std::span<std::int32_t const> labels) const { return Dataset::to_fill(n_categories, wide, labels, n_classes); }
};

}  // namespace rarewood
