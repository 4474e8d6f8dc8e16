// The features that are not yet known to be constant at a node: a bit each, handed down to the children, so that a column
// found constant once is never looked at again below.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace rarewood {

class ColumnSet {
 public:
  explicit ColumnSet(std::size_t n_features) : size_(n_features) {
    if (n_features > 64) further_.assign((n_features - 1) / 64, ~std::uint64_t{0});
    if (n_features % 64 != 0) word(n_features / 64) = (std::uint64_t{1} << n_features % 64) - 1;
  }

  // members: ascending.
  ColumnSet(std::size_t n_features, std::span<std::uint32_t const> members) : ColumnSet(n_features) {
    auto next = members.begin();
    for (std::uint32_t f = 0; f < n_features; ++f) {
      if (next != members.end() && *next == f) {
        ++next;
      } else {
        remove(f);
      }
    }
  }

  std::size_t size() const { return size_; }

  void remove(std::size_t feature) {
    std::uint64_t const bit = std::uint64_t{1} << feature % 64;
    if ((word(feature / 64) & bit) == 0) return;
    word(feature / 64) &= ~bit;
    --size_;
  }

  // The members in ascending order.
  void list(std::vector<std::uint32_t>& features) const {
    features.clear();
    append(first_, 0, features);
    for (std::size_t w = 0; w < further_.size(); ++w) append(further_[w], 64 * (w + 1), features);
  }

 private:
  std::uint64_t& word(std::size_t w) { return w == 0 ? first_ : further_[w - 1]; }

  static void append(std::uint64_t bits, std::size_t first, std::vector<std::uint32_t>& features) {
    for (; bits != 0; bits &= bits - 1)
      features.push_back(static_cast<std::uint32_t>(first + static_cast<std::size_t>(std::countr_zero(bits))));
  }

  std::uint64_t first_ = ~std::uint64_t{0};  // apart from the others: a set of up to 64 is copied without an allocation
  std::vector<std::uint64_t> further_;
  std::size_t size_;
};

}  // namespace rarewood
