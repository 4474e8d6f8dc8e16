// Rows of a table and trees made ready for each other for one call: what prediction and out-of-bag sums share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/parallel.hpp"
#include "predict/descend.hpp"
#include "predict/descent.hpp"
#include "predict/leaf_shares.hpp"
#include "predict/prepared_tree.hpp"
#include "rarewood/dataset_rows.hpp"
#include "rarewood/matrix_view.hpp"
#include "rarewood/predict.hpp"

namespace rarewood {

inline constexpr std::size_t most_chunk_rows = 32768;
inline constexpr std::size_t chunk_bytes = 3U << 17;    // of rows that stay in the cache from tree to tree
inline constexpr std::size_t typical_tree = 1U << 17;   // bytes
inline constexpr std::ptrdiff_t longest_row = 1 << 20;  // cells; descents count those of a block in 32 bits

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
  std::ptrdiff_t const stride = matrix.row_stride / static_cast<std::ptrdiff_t>(sizeof(T));
  if (matrix.is_row_major<T>() && stride >= 0 && stride <= longest_row)
    return {reinterpret_cast<T const*>(matrix.data + static_cast<std::ptrdiff_t>(begin) * matrix.row_stride), stride, n, matrix.columns};
  buffer.resize(n * matrix.columns);
  for (std::size_t c = 0; c < matrix.columns; ++c) {
    for (std::size_t r = 0; r < n; ++r) buffer[r * matrix.columns + c] = matrix.get<T>(begin + r, c);
  }
  return {buffer.data(), static_cast<std::ptrdiff_t>(matrix.columns), n, matrix.columns};
}

// Rows of a table that was filled have no place of their own.
template <class T>
Rows<T> row_major(DatasetRows const& table, std::size_t begin, std::size_t n, std::vector<T>& buffer) {
  buffer.resize(n * table.columns);
  table.copy(begin, n, buffer.data());
  return {buffer.data(), static_cast<std::ptrdiff_t>(table.columns), n, table.columns};
}

// Rows that pass a tree before the next comes: as many as the cache holds, but so many that fetching a tree is little beside fetching the
// rows; and few enough to give every thread work.
template <class Table>
std::size_t chunk_rows(Table const& table, unsigned n_threads, std::size_t tree_bytes = typical_tree) {
  std::size_t const row_bytes = std::max<std::size_t>(1, table.columns) * (table.is_double ? sizeof(double) : sizeof(float));
  std::size_t const wanted = std::max(chunk_bytes, 8 * tree_bytes) / row_bytes;
  std::size_t const shared_out = n_threads > 1 ? table.rows / (2 * n_threads) : table.rows;
  return std::clamp((std::min(shared_out, wanted) + block_rows - 1) / block_rows * block_rows, block_rows, most_chunk_rows);
}

// Calls visit(rows, first, monitor) for blocks of `size` rows, several blocks at once on several threads.
template <class T, class Table, class Visit>
void for_each_block(Table const& table, std::size_t size, unsigned n_threads, Monitor& monitor, Visit visit) {
  std::size_t const n_blocks = (table.rows + size - 1) / size;
  parallel_for(n_blocks, n_threads, monitor, [&](std::size_t block, Monitor& shared) {
    std::vector<T> buffer;
    std::size_t const first = block * size;
    std::size_t const n = std::min(size, table.rows - first);
    visit(row_major<T>(table, first, n, buffer), first, shared);
  });
}

// Calls `run` with a value of the table's own type.
template <class Table, class Run>
void with_cell_type(Table const& table, Run run) {
  if (table.is_double) {
    run(double{});
  } else {
    run(float{});
  }
}

// A tree for the time of one call: its prepared form, which it keeps, and its leaves as probabilities.
template <class T>
class ReadyTree {
 public:
  ReadyTree(Tree const& tree, PseudoCounts const& pseudo_counts, double weight, std::size_t n_rows)
      : tree_(&tree), prepared_(prepared<T>(tree, n_rows)), pseudo_counts_(&pseudo_counts), weight_(weight) {
    // Few rows meet so few leaves that shares of all of them would cost more.
    if (n_rows >= tree.n_leaf_rows()) shares_ = LeafShares(tree, pseudo_counts, weight);
  }

  Tree const& tree() const { return *tree_; }

  // The row of the leaf table for each of at most block_rows rows; may_be_missing = false promises that all cells are finite.
  void find_leaves(Rows<T> const& rows, bool may_be_missing, Descent& descent, std::uint32_t* leaf_rows) const {
    if (prepared_ == nullptr) {
      descend(*tree_, rows.data, rows.stride, rows.n, may_be_missing, leaf_rows);
      for (std::size_t r = 0; r < rows.n; ++r) leaf_rows[r] = leaf_row_of(*tree_, leaf_rows[r]);
      return;
    }
    Arrivals const& arrivals = prepared_->descend(*tree_, descent, rows.data, rows.stride, rows.n, may_be_missing);
    for (std::size_t i = 0; i < rows.n; ++i) leaf_rows[arrivals.row[i]] = arrivals.leaf_row[i];
  }

  // Adds the weighted probabilities of leaves to the sums of rows; `own` is room for one row.
  void add_leaves(std::span<std::uint32_t const> leaf_rows, std::vector<double>& own, double* sums) const {
    if (!shares_.empty()) return shares_.add(leaf_rows, sums);
    for (std::uint32_t const leaf_row : leaf_rows) {
      LeafShares::weigh(*tree_, leaf_row, *pseudo_counts_, weight_, own.data());
      for (std::size_t j = 0; j < own.size(); ++j) sums[j] += own[j];
      sums += own.size();
    }
  }

  // Memory that add_leaves reads.
  std::size_t leaf_bytes() const { return shares_.bytes(); }

  // Both at once, for two classes: sums are so short that they may come in the order of arrival.
  bool has_pairs() const { return prepared_ != nullptr && !shares_.empty() && tree_->n_classes == 2; }
  void add_pairs(Rows<T> const& rows, bool may_be_missing, Descent& descent, double* sums) const {
    Arrivals const& arrivals = prepared_->descend(*tree_, descent, rows.data, rows.stride, rows.n, may_be_missing);
    for (std::size_t i = 0; i < rows.n; ++i) {
      double const* const shares = shares_.data() + 2 * std::size_t{arrivals.leaf_row[i]};
      double* const of_row = sums + 2 * std::size_t{arrivals.row[i]};
      of_row[0] += shares[0];
      of_row[1] += shares[1];
    }
  }

 private:
  Tree const* tree_;
  PreparedTree<T> const* prepared_;  // or nothing: too few rows have come so far
  PseudoCounts const* pseudo_counts_;
  double weight_;
  LeafShares shares_;  // empty for a few rows
};

}  // namespace rarewood
