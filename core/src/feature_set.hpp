// The features that are not yet known to be constant at a node: a bit each, handed down to the children, so that a column
// found constant once is never looked at again below.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace rarewood {

class FeatureSet {
 public:
  explicit FeatureSet(std::size_t n_features) : words_((n_features + 63) / 64, ~std::uint64_t{0}), size_(n_features) {
    if (n_features % 64 != 0) words_.back() = (std::uint64_t{1} << n_features % 64) - 1;
  }

  std::size_t size() const { return size_; }

  void remove(std::size_t feature) {
    std::uint64_t const bit = std::uint64_t{1} << feature % 64;
    if ((words_[feature / 64] & bit) == 0) return;
    words_[feature / 64] &= ~bit;
    --size_;
  }

  // The members in ascending order.
  void list(std::vector<std::uint32_t>& features) const {
    features.clear();
    for (std::size_t w = 0; w < words_.size(); ++w) {
      for (std::uint64_t bits = words_[w]; bits != 0; bits &= bits - 1)
        features.push_back(static_cast<std::uint32_t>(w * 64 + static_cast<std::size_t>(std::countr_zero(bits))));
    }
  }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_;
};

}  // namespace rarewood
