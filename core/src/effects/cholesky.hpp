// A positive definite matrix as R'R, R an upper triangle in the place of the matrix's own. Rows are updated element by element, so wide
// vectors give the same bits.
#pragma once

#include <cstddef>
#include <vector>

namespace rarewood {

void factor_in_place(std::vector<double>& matrix, std::size_t n);

// x with R'R x = right.
std::vector<double> solve_factored(std::vector<double> const& factor, std::size_t n, std::vector<double> right);

}  // namespace rarewood
