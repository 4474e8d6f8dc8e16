// Cells of a node in ascending order, as keys: code - lowest code << 32 | class (unit weights) or index of the cell (weighted).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/radix_sort.hpp"
#include "search/node_cells.hpp"

namespace rarewood {

class SortedKeys {
 public:
  // Estimated nanoseconds.
  static double cost(double rows) {
    return rows < static_cast<double>(radix_sort_from) ? rows * (4.0 + 2.2 * std::log2(rows + 1.0)) : rows * 14.0;
  }

  // Every cell but those of class `without`; equal codes stay grouped by class.
  template <bool Weighted>
  void sort(NodeCells<Code> const& codes, std::size_t without) {
    Code const low = codes.range().low;
    std::span<Code const> const cells = codes.cells();
    if (keys_.size() < codes.size()) keys_.resize(codes.size());
    size_ = 0;
    for (std::size_t j = 0; j < codes.n_classes(); ++j) {
      if (j == without) continue;
      for (std::size_t i = codes.class_begin(j); i < codes.class_end(j); ++i)
        keys_[size_++] = static_cast<std::uint64_t>(cells[i] - low) << 32 | (Weighted ? i : j);
    }
    if (spare_.size() < size_) spare_.resize(keys_.size());
    int const bits = static_cast<int>(std::bit_width(codes.range().high - low));
    sorted_ = radix_sort(keys_.data(), spare_.data(), size_, 32, 32 + bits, [](std::uint64_t key) { return key; });
  }

  std::size_t size() const { return size_; }
  Code code(std::size_t i) const { return static_cast<Code>(sorted_[i] >> 32); }
  std::size_t rest(std::size_t i) const { return sorted_[i] & 0xFFFFFFFFU; }  // class or index of the cell

  template <bool Weighted>
  std::size_t cls(std::size_t i, NodeCells<Code> const& codes) const {
    return Weighted ? codes.class_of(rest(i)) : rest(i);
  }
  template <bool Weighted>
  double weight(std::size_t i, NodeCells<Code> const& codes) const {
    return Weighted ? codes.weights()[rest(i)] : 1.0;
  }

 private:
  std::vector<std::uint64_t> keys_, spare_;
  std::uint64_t const* sorted_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace rarewood
