// Numbers -> ranks among the distinct values of their column. One radix sort per column on order-preserving integer keys;
// 32-bit keys when every value of the column is a float32 (float32 input, integers, rounded numbers), 64-bit keys otherwise.
#pragma once

#include <span>
#include <vector>

#include "rarewood/matrix_view.hpp"
#include "rarewood/types.hpp"

namespace rarewood {

class RankCoder {
 public:
  explicit RankCoder(std::size_t rows);

  // codes[p] = rank of the value in row order[p]; missing_code where it is NaN. True when there is any NaN.
  bool code(MatrixView const& input, std::size_t column, std::span<Position const> order, std::span<Code> codes);

 private:
  struct Wide {
    std::uint64_t key;
    Position position;
  };

  bool load_narrow(MatrixView const& input, std::size_t column, std::span<Position const> order, std::span<Code> codes);
  void load_wide(MatrixView const& input, std::size_t column, std::span<Position const> order, std::span<Code> codes);

  std::vector<std::uint64_t> narrow_, narrow_spare_;  // key << 32 | position
  std::vector<Wide> wide_, wide_spare_;               // only allocated when a column needs it
  std::size_t present_ = 0;                           // cells of the column that are not missing
};

}  // namespace rarewood
