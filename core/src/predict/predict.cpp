#include "rarewood/predict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

#include "predict/one_row_many_trees.hpp"
#include "predict/ready_tree.hpp"

namespace rarewood {

namespace {

// Adds the weighted leaf probabilities of all trees to the sums of each row.
template <class T>
class Adder {
 public:
  // `ready`: the trees again, or nothing where only a few rows come.
  Adder(std::span<Tree const> trees, std::span<std::optional<ReadyTree<T>> const> ready, PseudoCounts const& pseudo_counts,
        std::span<double const> tree_weights, Monitor& monitor)
      : trees_(trees),
        ready_(ready),
        pseudo_counts_(pseudo_counts),
        tree_weights_(tree_weights),
        meter_(monitor),
        own_(pseudo_counts.n_classes()) {}

  // Many rows: tree by tree. A few rows: many trees at a time, or there would be nothing to descend side by side.
  void add(Rows<T> const& rows, double* sums) {
    if (ready_.empty()) return add_few(rows, sums);
    std::vector<char> may_be_missing;  // per block
    for (std::size_t begin = 0; begin < rows.n; begin += block_rows) may_be_missing.push_back(rows.part(begin, block_rows).any_missing());
    bool const pairs = std::all_of(ready_.begin(), ready_.end(), [](auto const& tree) { return tree->has_pairs(); });
    for (std::size_t first = 0; first < ready_.size(); first += trees_at_once) {
      std::span<std::optional<ReadyTree<T>> const> const group = ready_.subspan(first, std::min(trees_at_once, ready_.size() - first));
      if (!pairs) leaf_rows_.resize(group.size() * rows.n);
      for (std::size_t t = 0; t < group.size(); ++t) {
        meter_.add(rows.n);
        for (std::size_t begin = 0; begin < rows.n; begin += block_rows) {
          Rows<T> const block = rows.part(begin, block_rows);
          bool const missing = may_be_missing[begin / block_rows] != 0;
          if (pairs) {
            group[t]->add_pairs(block, missing, descent_, sums + 2 * begin);
          } else {
            group[t]->find_leaves(block, missing, descent_, leaf_rows_.data() + t * rows.n + begin);
          }
        }
      }
      if (!pairs) add_leaves(group, rows.n, sums);
    }
  }

 private:
  static constexpr std::size_t trees_at_once = 32;

  // So few rows at a time that their sums stay in the first-level cache until all trees have added to them; all rows, where the leaves of
  // all trees are too many for a cache, so that at least those of one tree stay there.
  void add_leaves(std::span<std::optional<ReadyTree<T>> const> group, std::size_t n_rows, double* sums) {
    constexpr std::size_t bytes_of_sums = 1U << 14;
    constexpr std::size_t bytes_of_leaves = 1U << 19;
    std::size_t leaves = 0;
    for (std::optional<ReadyTree<T>> const& tree : group) leaves += tree->leaf_bytes();
    std::size_t const few = std::max<std::size_t>(8, bytes_of_sums / (own_.size() * sizeof(double)));
    std::size_t const at_once = leaves <= bytes_of_leaves ? few : n_rows;
    for (std::size_t begin = 0; begin < n_rows; begin += at_once) {
      std::size_t const n = std::min(at_once, n_rows - begin);
      for (std::size_t t = 0; t < group.size(); ++t)
        group[t]->add_leaves({leaf_rows_.data() + t * n_rows + begin, n}, own_, sums + begin * own_.size());
    }
  }

  void add_few(Rows<T> const& rows, double* sums) {
    OneRowManyTrees<T> few;
    for (std::size_t t = 0; t < trees_.size(); t += few.most_trees) {
      std::span<Tree const> const group = trees_.subspan(t, std::min(few.most_trees, trees_.size() - t));
      few.take(group, rows.n);
      meter_.add(group.size() * rows.n);
      for (std::size_t r = 0; r < rows.n; ++r) {
        std::uint32_t const* const leaf_rows = few.descend(rows.row(r), rows.part(r, 1).any_missing());
        for (std::size_t w = 0; w < group.size(); ++w) {
          pseudo_counts_.leaf_probabilities(group[w].leaf_row(leaf_rows[w]), own_.data());
          double const weight = tree_weights_.empty() ? 1.0 : tree_weights_[t + w];
          for (std::size_t j = 0; j < own_.size(); ++j) sums[r * own_.size() + j] += weight * own_[j];
        }
      }
    }
  }

  std::span<Tree const> trees_;
  std::span<std::optional<ReadyTree<T>> const> ready_;
  PseudoCounts const& pseudo_counts_;
  std::span<double const> tree_weights_;
  WorkMeter meter_;
  std::vector<double> own_;
  Descent descent_;
  std::vector<std::uint32_t> leaf_rows_;  // tree by tree, of those in hand
};

}  // namespace

PseudoCounts::PseudoCounts(double of_each_class, std::size_t n_classes)
    : per_class_(n_classes, of_each_class), total_(of_each_class * static_cast<double>(n_classes)) {
  check(of_each_class);
}

PseudoCounts::PseudoCounts(std::vector<double> per_class) : per_class_(std::move(per_class)) {
  std::for_each(per_class_.begin(), per_class_.end(), check);
  // Equal ones are a number for every class, also in how they are rounded.
  bool const equal = std::equal(per_class_.begin() + 1, per_class_.end(), per_class_.begin());
  total_ = equal ? per_class_.front() * static_cast<double>(n_classes()) : std::accumulate(per_class_.begin(), per_class_.end(), 0.0);
}

void PseudoCounts::check(double count) {
  if (!(count >= 0.0 && std::isfinite(count)))
    throw std::invalid_argument("pseudo-counts must be finite and not negative, got " + std::to_string(count));
}

void apply(Tree const& tree, MatrixView const& rows, std::span<std::int64_t> nodes, Monitor& monitor) {
  with_cell_type(rows, [&]<class T>(T) {
    for_each_block<T>(rows, block_rows, 1, monitor, [&](Rows<T> const& block, std::size_t first, Monitor&) {
      std::array<std::uint32_t, block_rows> found;
      descend(tree, block.data, block.stride, block.n, true, found.data());
      std::copy_n(found.begin(), block.n, nodes.begin() + static_cast<std::ptrdiff_t>(first));
    });
  });
}

void apply(std::span<Tree const> trees, MatrixView const& rows, std::span<std::int64_t> nodes, Monitor& monitor) {
  std::vector<std::int64_t> of_tree(rows.rows);
  for (std::size_t t = 0; t < trees.size(); ++t) {
    apply(trees[t], rows, of_tree, monitor);
    for (std::size_t row = 0; row < rows.rows; ++row) nodes[row * trees.size() + t] = of_tree[row];
  }
}

void predict_proba(std::span<Tree const> trees, MatrixView const& rows, PseudoCounts const& pseudo_counts,
                   std::span<double const> tree_weights, std::span<double> probabilities, unsigned n_threads, Monitor& monitor) {
  std::size_t const n_classes = trees.front().n_classes;
  if (pseudo_counts.n_classes() != n_classes)
    throw std::invalid_argument("there are " + std::to_string(n_classes) + " classes but " + std::to_string(pseudo_counts.n_classes()) +
                                " pseudo-counts");
  if (!tree_weights.empty() && tree_weights.size() != trees.size())
    throw std::invalid_argument("there are " + std::to_string(trees.size()) + " trees but " + std::to_string(tree_weights.size()) +
                                " weights of trees");
  if (rows.rows == 0) return;
  double const n_trees = static_cast<double>(trees.size());
  bool const mean = tree_weights.empty() && trees.size() > 1;
  with_cell_type(rows, [&]<class T>(T) {
    std::vector<std::optional<ReadyTree<T>>> ready(rows.rows >= side_by_side ? trees.size() : 0);
    parallel_for(ready.size(), n_threads, monitor, [&](std::size_t t, Monitor&) {
      ready[t].emplace(trees[t], pseudo_counts, tree_weights.empty() ? 1.0 : tree_weights[t], rows.rows);
    });
    std::size_t steps = 0;
    for (Tree const& tree : trees) steps += tree.nodes.size();
    std::size_t const tree_bytes = steps / trees.size() * (sizeof(T) == sizeof(float) ? sizeof(NarrowNode) : sizeof(WideNode));
    for_each_block<T>(rows, chunk_rows(rows, n_threads, tree_bytes), n_threads, monitor,
                      [&](Rows<T> const& chunk, std::size_t first, Monitor& shared) {
                        double* const sums = probabilities.data() + first * n_classes;
                        double* const end = sums + chunk.n * n_classes;
                        std::fill(sums, end, 0.0);
                        Adder<T>(trees, ready, pseudo_counts, tree_weights, shared).add(chunk, sums);
                        if (mean) std::for_each(sums, end, [n_trees](double& sum) { sum /= n_trees; });
                      });
  });
}

DecisionPaths decision_paths(Tree const& tree, MatrixView const& rows, Monitor& monitor) {
  DecisionPaths paths;
  paths.row_begin.push_back(0);
  with_cell_type(rows, [&]<class T>(T) {
    for_each_block<T>(rows, block_rows, 1, monitor, [&](Rows<T> const& block, std::size_t, Monitor&) {
      for (std::size_t r = 0; r < block.n; ++r) {
        std::uint32_t node = 0;
        for (std::uint32_t next = 0;; node = next) {
          paths.nodes.push_back(node);
          next = next_node(tree, node, block.row(r));
          if (next == node) break;
        }
        paths.row_begin.push_back(static_cast<std::int64_t>(paths.nodes.size()));
      }
    });
  });
  return paths;
}

}  // namespace rarewood
