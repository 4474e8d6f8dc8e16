// Counts codes between marked ones.
#pragma once

#include <cstdint>
#include <span>

#include "rarewood/types.hpp"

namespace rarewood {

struct RankedBits {
  std::uint64_t const* words;
  std::uint32_t const* ranks;  // bits up to the end of each word
};

// Adds each cell, or its whole weight, to slot 2 r + 1 if its code less `low` is marked, else to slot 2 r, where r marked codes lie below.
// No branch depends on a cell. weights: null for 1 each.
void count_by_rank(std::span<Code const> cells, Code low, double const* weights, RankedBits marked, std::uint32_t* slots);

}  // namespace rarewood
