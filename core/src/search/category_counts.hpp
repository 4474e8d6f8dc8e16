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

  // Codes of the rows, one past the last where missing.
  void gather(NodeRows const& node, std::size_t feature);
  void find_present(std::size_t n_rows, std::size_t n_categories, std::vector<Code>& present);
  void count_rows(NodeRows const& node, CategoryTable& table);
  void add_weights(NodeRows const& node, CategoryTable& table) const;

  Dataset const& data_;
  std::vector<Code> cells_;             // gathered
  std::vector<std::int32_t> n_rows_;    // per slot, of one class
  std::vector<std::uint32_t> slot_of_;  // per category, one past the last for missing; no_slot between calls
};

}  // namespace rarewood
