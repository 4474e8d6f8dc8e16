// The descend of `Descent` eight rows at a time, on machines with 256-bit vectors. Cells and nodes are loaded one by one, which took
// two thirds of the time of gathering instructions on the one machine where both were measured (Zen 4). The same comparisons as the nodes' own, so the same leaves.
#pragma once

#include <cstddef>
#include <cstdint>

#include "predict/compact_tree.hpp"

namespace rarewood {

inline constexpr std::size_t vector_room = 40;  // numbers that vector descents may read and write behind the end of each list

struct MovingRows {
  std::uint32_t* at;
  std::uint32_t* row;
  std::size_t n;
};

struct ArrivedRows {
  std::uint32_t* row;
  std::uint32_t* mark;
  std::size_t n;  // there already; others are put behind them
};

// Whether all rows were taken to their marks; otherwise nothing was done.
bool vector_descend(Meets, NarrowNode const*, std::uint32_t const* words, float const* rows, std::size_t stride, MovingRows, ArrivedRows);
bool vector_descend(Meets, WideNode const*, std::uint32_t const* words, double const* rows, std::size_t stride, MovingRows, ArrivedRows);
bool vector_descend(Meets, SlantedNode const*, std::uint32_t const* words, float const* rows, std::size_t stride, MovingRows, ArrivedRows);
bool vector_descend(Meets, SlantedNode const*, std::uint32_t const* words, double const* rows, std::size_t stride, MovingRows, ArrivedRows);
bool vector_descend(Meets, PlacedNode const*, std::uint32_t const* words, float const* rows, std::size_t stride, MovingRows, ArrivedRows);
bool vector_descend(Meets, PlacedNode const*, std::uint32_t const* words, double const* rows, std::size_t stride, MovingRows, ArrivedRows);
// float32 rows on wide nodes: trees too large, or tables too wide, for narrow ones.
inline bool vector_descend(Meets, WideNode const*, std::uint32_t const*, float const*, std::size_t, MovingRows, ArrivedRows) {
  return false;
}

}  // namespace rarewood
