// Class counts per category present at a node. Missing values, if any, are one more category: missing_code, last.
#pragma once

#include <limits>
#include <vector>

#include "rarewood/sample.hpp"

namespace rarewood {

class CategoryCounts {
 public:
  explicit CategoryCounts(Dataset const& data);

  void count(NodeRows const& node, std::size_t feature);

  std::size_t size() const { return present_.size(); }
  Code category(std::size_t slot) const { return present_[slot]; }
  bool any_missing() const { return !present_.empty() && present_.back() == missing_code; }
  // n_classes counts, then cases.
  double const* row(std::size_t slot) const { return counts_.data() + slot * stride_; }
  std::size_t stride() const { return stride_; }
  bool class_present(std::size_t cls) const { return class_present_[cls] != 0; }

 private:
  static constexpr std::uint32_t no_slot = std::numeric_limits<std::uint32_t>::max();

  Dataset const& data_;
  std::size_t stride_;
  std::vector<std::uint32_t> slot_of_;  // per category, one past the last for missing; no_slot between calls
  std::vector<Code> present_;           // ascending
  std::vector<double> counts_;
  std::vector<char> class_present_;
};

}  // namespace rarewood
