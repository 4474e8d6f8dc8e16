// A tree as a game between columns: what every way of solving it needs to know.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "rarewood/predict.hpp"
#include "rarewood/tree.hpp"

namespace rarewood {

class ShapleyGame {
 public:
  ShapleyGame(Tree const& source, PseudoCounts const& pseudo_counts, std::span<std::uint32_t const> classes)
      : tree(source), n_outputs(classes.size()), shares(source.nodes.size(), 1.0) {
    std::vector<double> own(tree.n_classes);
    for (std::size_t row = 0; row < tree.n_leaf_rows(); ++row) {
      pseudo_counts.leaf_probabilities(tree.leaf_row(row), own.data());
      for (std::uint32_t cls : classes) leaf_values.push_back(own[cls]);
    }
    share_weights();
    find_base();
  }

  double const* leaf_value(std::uint32_t leaf_row) const { return leaf_values.data() + leaf_row * n_outputs; }

  // The child that the row takes at every node that is not a leaf, or `stays`.
  template <class T>
  void find_places(T const* row, std::uint32_t* places) const {
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      Node const& node = tree.nodes[i];
      if (node.kind() == Threshold::number) {
        places[i] = Threshold::child(tree, node, row);
      } else {
        places[i] = visit_kind(node, 0U, [&]<class Kind>(std::type_identity<Kind>) { return Kind::child(tree, node, row); });
      }
    }
  }

  // The columns of the node's test; none of a leaf.
  std::span<std::uint32_t const> columns(std::size_t node) const {
    return {columns_.data() + columns_begin_[node], columns_begin_[node + 1] - columns_begin_[node]};
  }
  bool has_tests_of_several_columns() const {
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      if (columns(i).size() > 1) return true;
    }
    return false;
  }

  Tree const& tree;
  std::size_t n_outputs;
  std::vector<double> shares;       // of each node in the weight of its parent; equal ones where there is no weight
  std::vector<double> leaf_values;  // leaf rows x outputs
  std::vector<double> base;         // per output: the value of knowing nothing

 private:
  void find_base() {
    base.assign(n_outputs, 0.0);
    std::vector<double> reach(tree.nodes.size(), 1.0);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      Node const& node = tree.nodes[i];
      for (std::uint32_t c = 0; c < tree.n_children(node); ++c) reach[node.first_child + c] = reach[i] * shares[node.first_child + c];
      if (!node.is_leaf()) continue;
      for (std::size_t k = 0; k < n_outputs; ++k) base[k] += reach[i] * leaf_value(node.first_child)[k];
    }
  }

  void share_weights() {
    std::vector<double> const table = node_table(tree);
    auto const weight = [&](std::size_t node) {
      double total = 0.0;
      for (std::size_t j = 0; j < tree.n_classes; ++j) total += table[node * tree.leaf_stride() + j];
      return total;
    };
    columns_begin_.push_back(0);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      Node const& node = tree.nodes[i];
      std::uint32_t const n = tree.n_children(node);
      double total = 0.0;
      for (std::uint32_t c = 0; c < n; ++c) total += weight(node.first_child + c);
      for (std::uint32_t c = 0; c < n; ++c)
        shares[node.first_child + c] = total > 0.0 ? weight(node.first_child + c) / total : 1.0 / static_cast<double>(n);
      visit_kind(node, false, [&]<class Kind>(std::type_identity<Kind>) {
        for (std::uint32_t column : Kind::columns(tree, node)) columns_.push_back(column);
        return true;
      });
      columns_begin_.push_back(columns_.size());
    }
  }

  std::vector<std::uint32_t> columns_;
  std::vector<std::size_t> columns_begin_;
};

}  // namespace rarewood
