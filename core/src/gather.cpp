#include "rarewood/gather.hpp"

#include "wide.hpp"

namespace rarewood {

RAREWOOD_WIDE(void, widen, (float const* cells, std::size_t n, float& low, float& high), (cells, n, low, high)) {
  widen_to(cells, n, low, high);
}
RAREWOOD_WIDE(void, widen, (double const* cells, std::size_t n, double& low, double& high), (cells, n, low, high)) {
  widen_to(cells, n, low, high);
}

}  // namespace rarewood
