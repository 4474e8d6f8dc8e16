// Collects the count rows of leaves; equal rows are stored once.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace rarewood {

class LeafTable {
 public:
  explicit LeafTable(std::size_t stride) : stride_(stride) {}

  std::uint32_t add(std::span<double const> row) {
    auto [bucket, end] = rows_by_hash_.equal_range(hash(row));
    for (; bucket != end; ++bucket) {
      if (std::equal(row.begin(), row.end(), table_.begin() + static_cast<std::ptrdiff_t>(bucket->second * stride_))) return bucket->second;
    }
    auto const index = static_cast<std::uint32_t>(table_.size() / stride_);
    table_.insert(table_.end(), row.begin(), row.end());
    rows_by_hash_.emplace(hash(row), index);
    return index;
  }

  std::vector<double> take() { return std::move(table_); }

 private:
  static std::uint64_t hash(std::span<double const> row) {
    std::uint64_t h = 0;
    for (double count : row) h = (h ^ std::bit_cast<std::uint64_t>(count)) * 0x9E3779B97F4A7C15ULL + (h >> 29);
    return h;
  }

  std::size_t stride_;
  std::vector<double> table_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> rows_by_hash_;
};

}  // namespace rarewood
