#include "rarewood/predict.hpp"

#include <algorithm>
#include <array>

#include "parallel.hpp"
#include "stairs.hpp"
#include "walk.hpp"

namespace rarewood {

namespace {

constexpr std::size_t block_rows = 256;  // rows whose cells and sums stay in cache while all trees pass over them

std::uint32_t leaf_row_of(Tree const& tree, std::uint32_t index) { return tree.row_of(tree.nodes[index]); }

// Rows [begin, begin + n) as contiguous runs of T: where they are, or copied into `buffer`.
template <class T>
struct Rows {
  T const* data;
  std::ptrdiff_t stride;
  std::size_t n;
  std::size_t columns;

  T const* row(std::size_t r) const { return data + static_cast<std::ptrdiff_t>(r) * stride; }

  bool any_missing() const {
    for (std::size_t r = 0; r < n; ++r) {
      std::size_t missing = 0;
      for (std::size_t c = 0; c < columns; ++c) missing += row(r)[c] != row(r)[c] ? 1 : 0;
      if (missing > 0) return true;
    }
    return false;
  }
};

template <class T>
Rows<T> row_major(MatrixView const& matrix, std::size_t begin, std::size_t n, std::vector<T>& buffer) {
  if (matrix.is_row_major<T>())
    return {reinterpret_cast<T const*>(matrix.data + static_cast<std::ptrdiff_t>(begin) * matrix.row_stride),
            matrix.row_stride / static_cast<std::ptrdiff_t>(sizeof(T)), n, matrix.columns};
  buffer.resize(n * matrix.columns);
  for (std::size_t c = 0; c < matrix.columns; ++c) {
    for (std::size_t r = 0; r < n; ++r) buffer[r * matrix.columns + c] = matrix.get<T>(begin + r, c);
  }
  return {buffer.data(), static_cast<std::ptrdiff_t>(matrix.columns), n, matrix.columns};
}

// Calls visit(rows, first) for blocks of rows, several blocks at once on several threads.
template <class T, class Visit>
void for_each_block(MatrixView const& matrix, unsigned n_threads, Visit visit) {
  std::size_t const n_blocks = (matrix.rows + block_rows - 1) / block_rows;
  parallel_for(n_blocks, n_threads, [&](std::size_t block) {
    std::vector<T> buffer;
    std::size_t const first = block * block_rows;
    std::size_t const n = std::min(block_rows, matrix.rows - first);
    visit(row_major<T>(matrix, first, n, buffer), first);
  });
}

// Calls `run` with a value of the matrix's own type.
template <class Run>
void with_cell_type(MatrixView const& matrix, Run run) {
  if (matrix.is_double) {
    run(double{});
  } else {
    run(float{});
  }
}

// Probabilities of every row of a tree's leaf table.
std::vector<double> probability_table(Tree const& tree, double smoothing) {
  std::size_t const n_rows = tree.leaf_table.size() / tree.leaf_stride();
  std::vector<double> table(n_rows * tree.n_classes);
  for (std::size_t r = 0; r < n_rows; ++r)
    leaf_probabilities(tree.leaf_row(r), tree.n_classes, smoothing, table.data() + r * tree.n_classes);
  return table;
}

// What is worth preparing before many rows walk down the same trees; empty for a few rows.
template <class T>
struct Prepared {
  std::vector<std::vector<double>> probabilities;  // of the leaf table, per tree
  std::vector<Stairs<T>> stairs;                   // empty for a tree with other splits than thresholds
};

template <class T>
Prepared<T> prepare(std::span<Tree const> trees, std::size_t n_rows, double smoothing) {
  Prepared<T> prepared;
  if (n_rows < block_rows) return prepared;  // they meet so few leaves that tables of all of them would cost more
  for (Tree const& tree : trees) {
    prepared.probabilities.push_back(probability_table(tree, smoothing));
    bool const worth_it = is_numeric_only(tree) && Stairs<T>::can_hold(tree) && 4 * n_rows >= tree.nodes.size();
    prepared.stairs.push_back(worth_it ? Stairs<T>(tree) : Stairs<T>());
  }
  return prepared;
}

// Adds the leaf probabilities of all trees to the sums of each row.
template <class T>
class Adder {
 public:
  Adder(std::span<Tree const> trees, Prepared<T> const& prepared, double smoothing)
      : trees_(trees), prepared_(prepared), smoothing_(smoothing), own_(trees.front().n_classes) {}

  // Many rows: tree by tree. A few rows: eight trees at a time, or there would be nothing to walk side by side.
  void add(Rows<T> const& rows, double* sums) {
    if (rows.n < side_by_side) return add_few(rows, sums);
    bool const may_be_missing = rows.any_missing();
    for (std::size_t t = 0; t < trees_.size(); ++t) {
      if (!may_be_missing && !prepared_.stairs.empty() && !prepared_.stairs[t].empty()) {
        prepared_.stairs[t].walk(rows.data, rows.stride, rows.n, found_.data());
      } else {
        walk(trees_[t], rows.data, rows.stride, rows.n, may_be_missing, found_.data());
        for (std::size_t r = 0; r < rows.n; ++r) found_[r] = leaf_row_of(trees_[t], found_[r]);
      }
      for (std::size_t r = 0; r < rows.n; ++r) add_leaf(t, found_[r], sums + r * own_.size());
    }
  }

 private:
  void add_few(Rows<T> const& rows, double* sums) {
    for (std::size_t r = 0; r < rows.n; ++r) {
      for (std::size_t t = 0; t < trees_.size(); t += side_by_side) {
        std::span<Tree const> const group = trees_.subspan(t, std::min(side_by_side, trees_.size() - t));
        walk_trees(group, rows.row(r), found_.data());
        for (std::size_t w = 0; w < group.size(); ++w) add_leaf(t + w, leaf_row_of(group[w], found_[w]), sums + r * own_.size());
      }
    }
  }

  void add_leaf(std::size_t t, std::uint32_t leaf, double* sums) {
    double const* probabilities = own_.data();
    if (prepared_.probabilities.empty()) {
      leaf_probabilities(trees_[t].leaf_row(leaf), own_.size(), smoothing_, own_.data());
    } else {
      probabilities = prepared_.probabilities[t].data() + leaf * own_.size();
    }
    for (std::size_t j = 0; j < own_.size(); ++j) sums[j] += probabilities[j];
  }

  std::span<Tree const> trees_;
  Prepared<T> const& prepared_;
  double smoothing_;
  std::vector<double> own_;
  std::array<std::uint32_t, block_rows> found_;  // node or leaf row of each row of the block
};

}  // namespace

void leaf_probabilities(double const* counts, std::size_t n_classes, double smoothing, double* probabilities) {
  double total = 0.0;
  for (std::size_t j = 0; j < n_classes; ++j) total += counts[j];
  double const denominator = total + smoothing * static_cast<double>(n_classes);
  for (std::size_t j = 0; j < n_classes; ++j)
    probabilities[j] = denominator > 0.0 ? (counts[j] + smoothing) / denominator : 1.0 / static_cast<double>(n_classes);
}

void apply(Tree const& tree, MatrixView const& rows, std::span<std::int64_t> nodes) {
  with_cell_type(rows, [&]<class T>(T) {
    for_each_block<T>(rows, 1, [&](Rows<T> const& block, std::size_t first) {
      std::array<std::uint32_t, block_rows> found;
      walk(tree, block.data, block.stride, block.n, true, found.data());
      std::copy_n(found.begin(), block.n, nodes.begin() + static_cast<std::ptrdiff_t>(first));
    });
  });
}

void predict_proba(std::span<Tree const> trees, MatrixView const& rows, double smoothing, std::span<double> probabilities,
                   unsigned n_threads) {
  if (rows.rows == 0) return;
  std::size_t const n_classes = trees.front().n_classes;
  double const n_trees = static_cast<double>(trees.size());
  with_cell_type(rows, [&]<class T>(T) {
    Prepared<T> const prepared = prepare<T>(trees, rows.rows, smoothing);
    for_each_block<T>(rows, n_threads, [&](Rows<T> const& block, std::size_t first) {
      double* const sums = probabilities.data() + first * n_classes;
      double* const end = sums + block.n * n_classes;
      std::fill(sums, end, 0.0);
      Adder<T>(trees, prepared, smoothing).add(block, sums);
      if (trees.size() > 1) std::for_each(sums, end, [n_trees](double& sum) { sum /= n_trees; });
    });
  });
}

DecisionPaths decision_paths(Tree const& tree, MatrixView const& rows) {
  DecisionPaths paths;
  paths.row_begin.push_back(0);
  with_cell_type(rows, [&]<class T>(T) {
    for_each_block<T>(rows, 1, [&](Rows<T> const& block, std::size_t) {
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
