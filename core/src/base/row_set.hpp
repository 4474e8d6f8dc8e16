// A set of rows, a bit each.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace rarewood {

class RowSet {
 public:
  RowSet() = default;
  explicit RowSet(std::size_t n_rows) : words_((n_rows + 63) / 64, 0) {}

  static RowSet all(std::size_t n_rows) {
    RowSet rows(n_rows);
    for (std::uint64_t& word : rows.words_) word = ~std::uint64_t{0};
    if (n_rows % 64 != 0) rows.words_.back() >>= 64 - n_rows % 64;
    return rows;
  }

  bool has(std::size_t row) const { return (words_[row / 64] >> row % 64 & 1U) != 0; }
  void add(std::size_t row) { words_[row / 64] |= std::uint64_t{1} << row % 64; }
  void remove(std::size_t row, bool really = true) { words_[row / 64] &= ~(static_cast<std::uint64_t>(really) << row % 64); }

  std::size_t size() const {
    std::size_t n = 0;
    for (std::uint64_t word : words_) n += static_cast<std::size_t>(std::popcount(word));
    return n;
  }

  // Calls visit(row) for the members from `begin`, a multiple of 64, to `end`, ascending.
  template <class Visit>
  void for_each(std::size_t begin, std::size_t end, Visit visit) const {
    for (std::size_t first = begin; first < end; first += 64) {
      std::uint64_t word = words_[first / 64];
      if (end - first < 64) word &= (std::uint64_t{1} << (end - first)) - 1;
      for (; word != 0; word &= word - 1) visit(first + static_cast<std::size_t>(std::countr_zero(word)));
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

}  // namespace rarewood
