// Grows small branches whole, on a few rows each: most nodes of a tree that tells many classes apart lie there.
#pragma once

#include <vector>

#include "growth/small_branch/small_branch_search.hpp"
#include "growth/tree_writer.hpp"

namespace rarewood {

class SmallBranchGrower {
 public:
  // The scorer is that of `search`. Not for two classes, where nodes are few and cheap; nor for scores that may take as long as they
  // like, for nobody is asked here whether to stop; nor where other features than that of the highest score count.
  SmallBranchGrower(Dataset const& data, NodeSearch& search, Scorer const& scorer, GrowthOptions const& options);

  // Whether the branch of a node is better grown here: all nodes of it are searched faster, but first the cells of its rows are copied.
  bool pays(NodeRows const& node) const;
  // Writes everything below node `at`, and the node.
  void grow(NodeRows const& node, std::uint32_t at, std::size_t depth, Key key, ColumnSet features, TreeWriter& writer);

 private:
  struct Pending {
    std::uint32_t node;
    SmallBranchRows::Span rows;
    std::size_t depth;
    Key key;
    ColumnSet features;
  };

  // False: the node becomes a leaf.
  bool split(Pending& pending, TreeWriter& writer);

  GrowthOptions const& options_;
  NodeSearch& search_;
  SearchState state_;
  SmallBranchRows rows_;
  SmallBranchSearch row_search_;
  std::vector<Pending> waiting_;
  bool possible_;
  std::size_t copied_;  // columns
  std::size_t tried_;   // of them at a node
};

}  // namespace rarewood
