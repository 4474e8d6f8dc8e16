// Words used everywhere in the core.
//
// *position*: a row of the training table in the dataset's own order (grouped by class); *code*: what a cell became, the rank of a
// number among the distinct values of its column or the number of a category; *case*: one training row, or as many as its integer weight says.
#pragma once

#include <cstdint>
#include <limits>

namespace rarewood {

using Position = std::uint32_t;
using Code = std::uint32_t;

inline constexpr Code missing_code = std::numeric_limits<Code>::max();

// Scores closer than this are equal; the order of candidates then decides.
inline constexpr double tie_tolerance = 1e-10;
// Longer than any run of near-ties: 16 tolerances.
inline constexpr double tie_ladder = 16.0 * tie_tolerance;

}  // namespace rarewood
