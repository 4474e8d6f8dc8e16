#include "search/node_cells.hpp"

#include "base/simd_dispatch.hpp"

namespace rarewood {

RAREWOOD_SIMD(void, widen, (float const* cells, std::size_t n, float& low, float& high), (cells, n, low, high)) {
  widen_to(cells, n, low, high);
}
RAREWOOD_SIMD(void, widen, (double const* cells, std::size_t n, double& low, double& high), (cells, n, low, high)) {
  widen_to(cells, n, low, high);
}

}  // namespace rarewood
