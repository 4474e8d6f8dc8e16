// The asking half of random cuts along a numeric column: rows here, no criterion; see `Drawing`.
#pragma once

#include <span>
#include <vector>

#include "search/count_cuts.hpp"
#include "search/node_cells.hpp"

namespace rarewood {

template <class T>
class CutRows {
 public:
  Range<T> const& ask(NodeRows const& node, std::span<T const> column, bool has_missing) {
    gathered_.gather(node, column, has_missing);
    return gathered_.range();
  }
  Range<T> const& range() const { return gathered_.range(); }
  // Cells that are not missing, row by row of the node.
  std::span<T const> cells() const { return gathered_.cells(); }

  // Counts the rows asked last.
  void count(NodeRows const& node, std::span<T const> cuts, LeftCounts& counts);

 private:
  void count_few(std::span<T const> cuts, LeftCounts& counts);
  void count_weighted(NodeRows const& node, std::span<T const> cuts, LeftCounts& counts) const;

  NodeCells<T> gathered_;
  std::vector<std::int32_t> counts_;
  std::vector<ClassSection> sections_;
};

extern template class CutRows<float>;
extern template class CutRows<double>;

}  // namespace rarewood
