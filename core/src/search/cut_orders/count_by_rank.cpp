#include "search/cut_orders/count_by_rank.hpp"

#include <bit>

#include "base/simd_dispatch.hpp"

namespace rarewood {

namespace {

[[gnu::always_inline]] inline std::size_t slot_of(Code code, RankedBits const& marked) {
  std::uint64_t const from_here = marked.words[code / 64] >> (code % 64);
  std::size_t const below = marked.ranks[code / 64] - static_cast<std::size_t>(std::popcount(from_here));
  return 2 * below + static_cast<std::size_t>(from_here & 1);
}

}  // namespace

RAREWOOD_SIMD(void, count_by_rank, (std::span<Code const> cells, Code low, double const* weights, RankedBits marked, std::uint32_t* slots),
              (cells, low, weights, marked, slots)) {
  if (weights == nullptr) {
    for (Code const cell : cells) ++slots[slot_of(cell - low, marked)];
    return;
  }
  for (std::size_t i = 0; i < cells.size(); ++i) slots[slot_of(cells[i] - low, marked)] += static_cast<std::uint32_t>(weights[i]);
}

}  // namespace rarewood
