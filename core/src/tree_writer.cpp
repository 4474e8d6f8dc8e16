#include "tree_writer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace rarewood {

TreeWriter::TreeWriter(std::size_t n_features, std::size_t n_classes) : leaves_(n_classes + 1) {
  tree_.n_features = n_features;
  tree_.n_classes = n_classes;
}

std::uint32_t TreeWriter::add_nodes(std::size_t n) {
  auto const first = static_cast<std::uint32_t>(tree_.nodes.size());
  tree_.nodes.resize(tree_.nodes.size() + n);
  return first;
}

void TreeWriter::write_leaf(std::uint32_t node, std::span<double const> row) {
  tree_.nodes[node] = {SplitKind::leaf, 0, true, 0.0, leaves_.add(row)};
}

void TreeWriter::write_split(std::uint32_t node, Node split, std::uint32_t first_child) {
  split.first_child = first_child;
  tree_.nodes[node] = split;
}

void TreeWriter::note(std::uint32_t node, double weight, double improvement) {
  notes_.push_back({node, weight, std::isfinite(improvement) && improvement > 0.0 ? improvement : 0.0});
}

std::uint32_t TreeWriter::add_list(std::span<Code const> codes, std::span<Code const> places, std::uint32_t missing_child,
                                   std::uint32_t leaf_row) {
  tree_.category_lists.push_back(
      {static_cast<std::uint32_t>(tree_.category_pool.size()), static_cast<std::uint32_t>(codes.size()), missing_child, leaf_row});
  tree_.category_pool.insert(tree_.category_pool.end(), codes.begin(), codes.end());
  tree_.category_pool.insert(tree_.category_pool.end(), places.begin(), places.end());
  return static_cast<std::uint32_t>(tree_.category_lists.size() - 1);
}

std::uint32_t TreeWriter::add_plane(Hyperplane const& plane) {
  tree_.hyperplanes.push_back(plane);
  return static_cast<std::uint32_t>(tree_.hyperplanes.size() - 1);
}

Tree TreeWriter::finish(bool in_visiting_order) {
  if (!in_visiting_order) {
    // The first children of nodes that are split in visiting order ascend.
    auto const ranks = [&] {
      std::vector<std::uint32_t> rank(tree_.nodes.size());
      std::vector<std::uint32_t> pending{0};
      for (std::uint32_t next = 0; !pending.empty(); ++next) {
        std::uint32_t const node = pending.back();
        pending.pop_back();
        rank[node] = next;
        for (std::uint32_t c = tree_.n_children(tree_.nodes[node]); c-- > 0;) pending.push_back(tree_.nodes[node].first_child + c);
      }
      return rank;
    }();
    std::sort(notes_.begin(), notes_.end(), [&](Note const& a, Note const& b) { return ranks[a.node] < ranks[b.node]; });
  }
  Tree tree = finish_with(sum_of_notes());
  return in_visiting_order ? std::move(tree) : rewritten(tree, {}, {});
}

Tree TreeWriter::finish_with(std::vector<double> importances) {
  tree_.leaf_table = leaves_.take();
  tree_.importances = std::move(importances);
  return std::move(tree_);
}

// A criterion whose scores never rise above "no split" still chose features: the weight they split tells how much they mattered.
std::vector<double> TreeWriter::sum_of_notes() const {
  std::vector<double> importances(tree_.n_features, 0.0);
  for (Note const& note : notes_) importances[tree_.nodes[note.node].feature()] += note.weight * note.improvement;
  if (std::accumulate(importances.begin(), importances.end(), 0.0) == 0.0) {
    for (Note const& note : notes_) importances[tree_.nodes[note.node].feature()] += note.weight;
  }
  return importances;
}

namespace {

class Copy {
 public:
  Copy(Tree const& tree, std::vector<double> const& table, std::vector<char> const& becomes_leaf)
      : old_(tree), table_(table), becomes_leaf_(becomes_leaf), writer_(tree.n_features, tree.n_classes) {}

  Tree run() {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pending{{0, writer_.add_nodes(1)}};  // old node, new node
    while (!pending.empty()) {
      auto const [from, to] = pending.back();
      pending.pop_back();
      Node const& node = old_.nodes[from];
      if (node.kind() == SplitKind::leaf) {
        writer_.write_leaf(to, row(node.first_child));
        continue;
      }
      if (!becomes_leaf_.empty() && becomes_leaf_[from] != 0) {
        writer_.write_leaf(to, {table_.data() + from * old_.leaf_stride(), old_.leaf_stride()});
        continue;
      }
      std::uint32_t const n_children = old_.n_children(node);
      std::uint32_t const first = writer_.add_nodes(n_children);
      writer_.write_split(to, with_pool(node), first);
      for (std::uint32_t c = n_children; c-- > 0;) pending.emplace_back(node.first_child + c, first + c);
    }
    return writer_.finish_with(old_.importances);
  }

 private:
  std::span<double const> row(std::uint32_t index) const { return {old_.leaf_row(index), old_.leaf_stride()}; }

  Node with_pool(Node node) {
    if (node.kind() == SplitKind::subset || node.kind() == SplitKind::multiway) {
      CategoryList const& list = old_.category_lists[node.pool_index()];
      std::uint32_t const leaf_row = node.kind() == SplitKind::multiway ? writer_.add_row(row(list.leaf_row)) : list.leaf_row;
      node.threshold = static_cast<double>(writer_.add_list(old_.codes(list), {}, list.missing_child, leaf_row));
    } else if (node.kind() == SplitKind::hyperplane) {
      Hyperplane plane = old_.hyperplanes[node.pool_index()];
      for (std::uint32_t* map : {&plane.map_a, &plane.map_b}) {
        if (*map != Hyperplane::no_map)
          *map = writer_.add_list(old_.codes(old_.category_lists[*map]), old_.places(old_.category_lists[*map]));
      }
      node.threshold = static_cast<double>(writer_.add_plane(plane));
    }
    return node;
  }

  Tree const& old_;
  std::vector<double> const& table_;
  std::vector<char> const& becomes_leaf_;
  TreeWriter writer_;
};

}  // namespace

Tree rewritten(Tree const& tree, std::vector<double> const& table, std::vector<char> const& becomes_leaf) {
  return Copy(tree, table, becomes_leaf).run();
}

}  // namespace rarewood
