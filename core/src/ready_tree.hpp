// Rows of a table and trees made ready for each other: what prediction and out-of-bag sums share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "parallel.hpp"
#include "rarewood/matrix_view.hpp"
#include "rarewood/predict.hpp"
#include "stairs.hpp"
#include "walk.hpp"

namespace rarewood {

inline constexpr std::size_t block_rows = 256;        // rows that go down a tree in one call
inline constexpr std::size_t most_chunk_rows = 8192;  // rows that pass a tree before the next comes: many, because trees fill the cache
inline constexpr std::size_t most_chunk_cells = 1U << 18;

inline std::uint32_t leaf_row_of(Tree const& tree, std::uint32_t index) { return tree.row_of(tree.nodes[index]); }

// Rows [begin, begin + n) as contiguous runs of T: where they are, or copied into `buffer`.
template <class T>
struct Rows {
  T const* data;
  std::ptrdiff_t stride;
  std::size_t n;
  std::size_t columns;

  T const* row(std::size_t r) const { return data + static_cast<std::ptrdiff_t>(r) * stride; }

  Rows part(std::size_t begin, std::size_t size) const { return {row(begin), stride, std::min(size, n - begin), columns}; }

  // NaN, or infinite, which a line times 0 would make NaN.
  bool any_missing() const {
    for (std::size_t r = 0; r < n; ++r) {
      std::size_t missing = 0;
      for (std::size_t c = 0; c < columns; ++c) missing += row(r)[c] - row(r)[c] == T{0} ? 0 : 1;
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

// Rows per chunk: few enough to give every thread work, and to copy a chunk that does not lie row by row.
inline std::size_t chunk_rows(MatrixView const& table, unsigned n_threads) {
  std::size_t const shared_out = n_threads > 1 ? table.rows / (4 * n_threads) : table.rows;
  std::size_t const copied = most_chunk_cells / std::max<std::size_t>(1, table.columns);
  return std::clamp((std::min(shared_out, copied) + block_rows - 1) / block_rows * block_rows, block_rows, most_chunk_rows);
}

// Calls visit(rows, first) for blocks of `size` rows, several blocks at once on several threads.
template <class T, class Visit>
void for_each_block(MatrixView const& matrix, std::size_t size, unsigned n_threads, Visit visit) {
  std::size_t const n_blocks = (matrix.rows + size - 1) / size;
  parallel_for(n_blocks, n_threads, [&](std::size_t block) {
    std::vector<T> buffer;
    std::size_t const first = block * size;
    std::size_t const n = std::min(size, matrix.rows - first);
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

// A tree, and what is worth preparing before n_rows rows walk down it.
template <class T>
class ReadyTree {
  using Level = Stairs<T, LevelStep<T>>;
  using Slanted = Stairs<T, SlantedStep<T>>;

 public:
  ReadyTree(Tree const& tree, PseudoCounts const& pseudo_counts, double weight, std::size_t n_rows)
      : tree_(&tree), pseudo_counts_(&pseudo_counts), weight_(weight) {
    if (n_rows < block_rows) return;  // they meet so few leaves that tables of all of them would cost more
    std::size_t const n_leaf_rows = tree.leaf_table.size() / tree.leaf_stride();
    table_.resize(n_leaf_rows * tree.n_classes);
    for (std::size_t r = 0; r < n_leaf_rows; ++r) weigh_leaf(r, table_.data() + r * tree.n_classes);
    if (4 * n_rows < tree.nodes.size()) return;
    if (Level::can_hold(tree)) {
      level_ = Level(tree);
    } else if (Slanted::can_hold(tree)) {
      slanted_ = Slanted(tree);
    }
  }

  Tree const& tree() const { return *tree_; }

  // The row of the leaf table for each of the rows; may_be_missing = false promises that none has a NaN.
  void find_leaves(Rows<T> const& rows, bool may_be_missing, std::uint32_t* leaf_rows) const {
    if (!may_be_missing && !level_.empty()) return level_.walk(rows.data, rows.stride, rows.n, leaf_rows);
    if (!may_be_missing && !slanted_.empty()) return slanted_.walk(rows.data, rows.stride, rows.n, leaf_rows);
    walk(*tree_, rows.data, rows.stride, rows.n, may_be_missing, leaf_rows);
    for (std::size_t r = 0; r < rows.n; ++r) leaf_rows[r] = leaf_row_of(*tree_, leaf_rows[r]);
  }

  // Adds the weighted probabilities of a leaf; `own` is room for one row.
  void add_leaf(std::uint32_t leaf_row, std::vector<double>& own, double* sums) const {
    double const* probabilities = own.data();
    if (table_.empty()) {
      weigh_leaf(leaf_row, own.data());
    } else {
      probabilities = table_.data() + leaf_row * own.size();
    }
    for (std::size_t j = 0; j < own.size(); ++j) sums[j] += probabilities[j];
  }

 private:
  void weigh_leaf(std::size_t leaf_row, double* probabilities) const {
    pseudo_counts_->leaf_probabilities(tree_->leaf_row(leaf_row), probabilities);
    if (weight_ == 1.0) return;
    for (std::size_t j = 0; j < tree_->n_classes; ++j) probabilities[j] *= weight_;
  }

  Tree const* tree_;
  PseudoCounts const* pseudo_counts_;
  double weight_;
  std::vector<double> table_;  // of all leaf rows; empty for a few rows
  Level level_;                // empty for a few rows, or for a tree with other splits than thresholds
  Slanted slanted_;            // empty for a few rows, or for a tree with other splits than thresholds and lines of numbers
};

}  // namespace rarewood
