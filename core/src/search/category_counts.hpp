// Counts the rows of a node by category and class.
#pragma once

#include <limits>
#include <vector>

#include "samples/sample.hpp"
#include "search/answers.hpp"

namespace rarewood {

class CategoryCounts {
 public:
  explicit CategoryCounts(Dataset const& data);

  void count(NodeRows const& node, std::size_t feature, CategoryTable& table);

 private:
  static constexpr std::uint32_t no_slot = std::numeric_limits<std::uint32_t>::max();

  Dataset const& data_;
  std::vector<std::uint32_t> slot_of_;  // per category, one past the last for missing; no_slot between calls
};

}  // namespace rarewood
