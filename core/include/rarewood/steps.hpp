// Step functions of columns, added to log-odds that are given. A row is on one step of each term (a column, or a pair of columns), so whatever
// a fit asks of the rows is a table of sums: residuals by step, curvatures by two steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "rarewood/matrix_view.hpp"

namespace rarewood {

// Which step each cell is on, columns x rows: how many of the column's `bounds` lie below it, one past the last step where it is missing.
// Column c has n_bounds[c] <= 254 of them, ascending, all columns one after the other.
std::vector<std::uint8_t> step_codes(MatrixView const& table, std::span<std::int64_t const> n_bounds, std::span<double const> bounds);

struct StepCodes {
  std::size_t n_rows = 0;
  std::span<std::uint8_t const> codes;  // terms x rows
  std::vector<std::uint32_t> sizes;     // how many steps a term has; its codes are below that

  std::uint8_t const* term(std::size_t number) const { return codes.data() + number * n_rows; }
};

// Of terms (1, 0), (2, 0), (2, 1), ...: the largest sum of G^2 / (V + 1/2) over the four quarters around a point, G being the sum of `lack` in a
// quarter and V that of `spread`. The last n_apart[t] steps of a term (missing values) are in no quarter.
std::vector<double> pair_misfits(StepCodes const& on, std::span<std::uint32_t const> n_apart, std::span<double const> lack,
                                 std::span<double const> spread);

}  // namespace rarewood
