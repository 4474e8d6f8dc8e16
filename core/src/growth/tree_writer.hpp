// A tree in the making: nodes, pools, leaves, importances. Nodes may be written in any order; the finished tree is in visiting order: nodes
// are numbered, pools filled and importances summed depth first, first child first, so that how a tree was grown leaves no trace in it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "growth/leaf_table.hpp"
#include "rarewood/subtree.hpp"
#include "rarewood/tree.hpp"

namespace rarewood {

class TreeWriter {
 public:
  TreeWriter(std::size_t n_features, std::size_t n_classes);

  // Adjacent nodes, to be written later. Returns the first. The root is the first node of all.
  std::uint32_t add_nodes(std::size_t n);

  // `row`: class counts and cases.
  void write_leaf(std::uint32_t node, std::span<double const> row) { tree_.nodes[node] = Node::leaf_of(add_row(row)); }
  // Returns the first of its children.
  std::uint32_t write_split(std::uint32_t node, NodeTest const& test, std::size_t n_children);
  void add_gain(std::uint32_t node, double weight, double improvement);

  // Writes a whole tree in the place of a node, with what its splits are worth. classes: the number here of each of its classes; empty: the
  // same.
  void graft(std::uint32_t node, Tree const& tree, std::span<SplitGain const> gains, std::span<std::uint32_t const> classes = {});
  std::span<SplitGain const> gains() const { return gains_; }

  // For tests that write themselves.
  std::uint32_t add_row(std::span<double const> row) { return leaves_.add(row); }
  std::uint32_t add_list(std::span<Code const> codes, std::span<Code const> behind_codes = {}, std::uint32_t missing_child = 0,
                         std::uint32_t leaf_row = 0);
  template <HasRecord Kind>
  std::uint32_t add_record(typename Kind::Record const& record) {
    tree_.records_of<Kind>().push_back(record);
    return static_cast<std::uint32_t>(tree_.records_of<Kind>().size() - 1);
  }

  // `in_visiting_order`: the nodes were written in that order.
  Tree finish(bool in_visiting_order);
  // Like `finish`, with these importances instead of the sum of the gains.
  Tree finish_with(std::vector<double> importances);

 private:
  void put_gains_in_visiting_order();
  std::vector<double> sum_of_gains() const;

  Tree tree_;
  LeafTable leaves_;
  std::vector<SplitGain> gains_;
};

// A copy in visiting order. Nodes with becomes_leaf[node] != 0 lose their subtrees and become leaves with the counts of `table`, as
// node_table() gives it; both may be empty.
Tree rewritten(Tree const& tree, std::span<double const> table, std::span<char const> becomes_leaf);

}  // namespace rarewood
