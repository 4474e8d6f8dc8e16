// The walk of `Descent` eight rows at a time, on machines with 256-bit vectors. Cells and steps are loaded one by one, which took
// two thirds of the time of gathering instructions on the one machine where both were measured (Zen 4). The same comparisons as the steps' own, so the same leaves.
#pragma once

#include <cstddef>
#include <cstdint>

#include "stairs.hpp"

namespace rarewood {

inline constexpr std::size_t vector_room = 40;  // numbers that vector walks may read and write behind the end of each list

struct WalkingRows {
  std::uint32_t* at;
  std::uint32_t* row;
  std::size_t n;
};

struct HaltedRows {
  std::uint32_t* row;
  std::uint32_t* why;
  std::size_t n;  // there already; others are put behind them
};

// Whether all rows have been walked until they halted; otherwise nothing was done.
bool vector_walk(bool may_be_missing, NarrowStep const*, float const* rows, std::size_t stride, WalkingRows, HaltedRows);
bool vector_walk(bool may_be_missing, WideStep const*, double const* rows, std::size_t stride, WalkingRows, HaltedRows);
bool vector_walk(bool may_be_missing, SlantedStep const*, float const* rows, std::size_t stride, WalkingRows, HaltedRows);
bool vector_walk(bool may_be_missing, SlantedStep const*, double const* rows, std::size_t stride, WalkingRows, HaltedRows);
// float32 rows on wide steps: trees too large, or tables too wide, for narrow ones.
inline bool vector_walk(bool, WideStep const*, float const*, std::size_t, WalkingRows, HaltedRows) { return false; }

}  // namespace rarewood
