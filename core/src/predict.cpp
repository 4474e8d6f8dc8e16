#include "rarewood/predict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>

#include "parallel.hpp"

namespace rarewood {

namespace {

constexpr std::size_t side_by_side = 8;  // rows going down together
constexpr std::size_t block_rows = 256;  // rows whose cells and sums stay in cache while all trees pass over them

// Coordinate of a cell on a hyperplane: the number itself, or the place of its category. `seen` turns false for a category without one.
double coordinate(Tree const& tree, double cell, std::uint32_t map, bool& seen) {
  if (map == Hyperplane::no_map || std::isnan(cell)) return cell;
  CategoryList const& list = tree.category_lists[map];
  auto const codes = tree.codes(list);
  auto const found = std::lower_bound(codes.begin(), codes.end(), static_cast<Code>(cell));
  if (found == codes.end() || *found != static_cast<Code>(cell)) {
    seen = false;
    return 0.0;
  }
  return static_cast<double>(tree.places(list)[static_cast<std::size_t>(found - codes.begin())]);
}

template <class T>
bool right_of_plane(Tree const& tree, Node const& node, T const* row) {
  Hyperplane const& plane = tree.hyperplanes[node.pool_index()];
  bool seen = true;
  double const a = coordinate(tree, static_cast<double>(row[plane.feature_a]), plane.map_a, seen);
  double const b = coordinate(tree, static_cast<double>(row[plane.feature_b]), plane.map_b, seen);
  if (std::isnan(a) || std::isnan(b)) return !node.missing_left();
  if (!seen) return plane.unseen_left == 0;
  return !(plane.weight_a * a + plane.weight_b * b <= plane.offset);
}

// Where a row goes from a node that is not numeric. Returns the node itself when it stops there.
template <class T>
std::uint32_t next_by_kind(Tree const& tree, std::uint32_t index, Node const& node, T const* row) {
  double const cell = static_cast<double>(row[node.feature()]);
  switch (node.kind()) {
    case SplitKind::subset: {
      if (std::isnan(cell)) return node.first_child + (node.missing_left() ? 0 : 1);
      auto const left = tree.codes(tree.category_lists[node.pool_index()]);
      return node.first_child + (std::binary_search(left.begin(), left.end(), static_cast<Code>(cell)) ? 0 : 1);
    }
    case SplitKind::multiway: {
      CategoryList const& list = tree.category_lists[node.pool_index()];
      if (std::isnan(cell)) return node.first_child + list.missing_child;
      auto const codes = tree.codes(list);
      auto const found = std::lower_bound(codes.begin(), codes.end(), static_cast<Code>(cell));
      bool const known = found != codes.end() && *found == static_cast<Code>(cell);
      return known ? node.first_child + static_cast<std::uint32_t>(found - codes.begin()) : index;
    }
    case SplitKind::hyperplane: return node.first_child + (right_of_plane(tree, node, row) ? 1 : 0);
    default: return index;
  }
}

template <class T, bool NumericOnly>
std::uint32_t next_node(Tree const& tree, std::uint32_t index, T const* row) {
  Node const& node = tree.nodes[index];
  if constexpr (!NumericOnly) {
    if (node.kind() != SplitKind::numeric) return next_by_kind(tree, index, node, row);
  }
  double const cell = static_cast<double>(row[node.feature()]);
  bool const right = cell != cell ? !node.missing_left() : cell > node.threshold;
  std::uint32_t const next = node.first_child + (right ? 1U : 0U);
  if constexpr (NumericOnly) return node.kind() == SplitKind::leaf ? index : next;
  return next;
}

// Walks n <= side_by_side rows to where they stop.
template <class T, bool NumericOnly>
void walk_group(Tree const& tree, T const* rows, std::ptrdiff_t stride, std::size_t n, std::uint32_t* nodes) {
  std::fill(nodes, nodes + n, 0U);
  bool moving = true;
  while (moving) {
    moving = false;
    for (std::size_t r = 0; r < n; ++r) {
      std::uint32_t const next = next_node<T, NumericOnly>(tree, nodes[r], rows + static_cast<std::ptrdiff_t>(r) * stride);
      moving |= next != nodes[r];
      nodes[r] = next;
    }
  }
}

template <class T, bool NumericOnly>
void walk_rows(Tree const& tree, T const* rows, std::ptrdiff_t stride, std::size_t n, std::uint32_t* nodes) {
  std::size_t done = 0;
  for (; done + side_by_side <= n; done += side_by_side)
    walk_group<T, NumericOnly>(tree, rows + static_cast<std::ptrdiff_t>(done) * stride, stride, side_by_side, nodes + done);
  if (done < n) walk_group<T, NumericOnly>(tree, rows + static_cast<std::ptrdiff_t>(done) * stride, stride, n - done, nodes + done);
}

bool is_numeric_only(Tree const& tree) { return tree.category_lists.empty() && tree.hyperplanes.empty() && tree.n_features > 0; }

template <class T>
void walk(Tree const& tree, T const* rows, std::ptrdiff_t stride, std::size_t n, std::uint32_t* nodes) {
  if (is_numeric_only(tree)) {
    walk_rows<T, true>(tree, rows, stride, n, nodes);
  } else {
    walk_rows<T, false>(tree, rows, stride, n, nodes);
  }
}

std::uint32_t leaf_row_of(Tree const& tree, std::uint32_t index) {
  Node const& node = tree.nodes[index];
  return node.kind() == SplitKind::leaf ? node.first_child : tree.category_lists[node.pool_index()].leaf_row;
}

// Rows [begin, begin + n) as contiguous runs of T: where they are, or copied into `buffer`.
template <class T>
struct Rows {
  T const* data;
  std::ptrdiff_t stride;
};

template <class T>
Rows<T> row_major(MatrixView const& matrix, std::size_t begin, std::size_t n, std::vector<T>& buffer) {
  if (matrix.is_row_major<T>())
    return {reinterpret_cast<T const*>(matrix.data + static_cast<std::ptrdiff_t>(begin) * matrix.row_stride),
            matrix.row_stride / static_cast<std::ptrdiff_t>(sizeof(T))};
  buffer.resize(n * matrix.columns);
  for (std::size_t c = 0; c < matrix.columns; ++c) {
    for (std::size_t r = 0; r < n; ++r) buffer[r * matrix.columns + c] = matrix.get<T>(begin + r, c);
  }
  return {buffer.data(), static_cast<std::ptrdiff_t>(matrix.columns)};
}

// Calls visit(rows, first, n) for blocks of rows, several blocks at once on several threads.
template <class T, class Visit>
void for_each_block(MatrixView const& matrix, unsigned n_threads, Visit visit) {
  std::size_t const n_blocks = (matrix.rows + block_rows - 1) / block_rows;
  parallel_for(n_blocks, n_threads, [&](std::size_t block) {
    std::vector<T> buffer;
    std::size_t const first = block * block_rows;
    std::size_t const n = std::min(block_rows, matrix.rows - first);
    visit(row_major<T>(matrix, first, n, buffer), first, n);
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

template <class T>
void add_probabilities(std::span<Tree const> trees, std::span<std::vector<double> const> tables, Rows<T> rows, std::size_t n,
                       double smoothing, double* sums) {
  std::array<std::uint32_t, block_rows> nodes;
  std::size_t const n_classes = trees.front().n_classes;
  std::vector<double> own(n_classes);
  for (std::size_t t = 0; t < trees.size(); ++t) {
    walk(trees[t], rows.data, rows.stride, n, nodes.data());
    for (std::size_t r = 0; r < n; ++r) {
      std::uint32_t const leaf = leaf_row_of(trees[t], nodes[r]);
      double const* probabilities = own.data();
      if (tables.empty()) {
        leaf_probabilities(trees[t].leaf_row(leaf), n_classes, smoothing, own.data());
      } else {
        probabilities = tables[t].data() + leaf * n_classes;
      }
      for (std::size_t j = 0; j < n_classes; ++j) sums[r * n_classes + j] += probabilities[j];
    }
  }
}

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
    for_each_block<T>(rows, 1, [&](Rows<T> block, std::size_t first, std::size_t n) {
      std::array<std::uint32_t, block_rows> found;
      walk(tree, block.data, block.stride, n, found.data());
      std::copy(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(n), nodes.begin() + static_cast<std::ptrdiff_t>(first));
    });
  });
}

void predict_proba(std::span<Tree const> trees, MatrixView const& rows, double smoothing, std::span<double> probabilities,
                   unsigned n_threads) {
  if (rows.rows == 0) return;
  std::size_t const n_classes = trees.front().n_classes;
  std::vector<std::vector<double>> tables;
  if (rows.rows >= block_rows) {  // fewer rows meet so few leaves that tables of all of them would cost more
    for (Tree const& tree : trees) tables.push_back(probability_table(tree, smoothing));
  }
  double const n_trees = static_cast<double>(trees.size());
  with_cell_type(rows, [&]<class T>(T) {
    for_each_block<T>(rows, n_threads, [&](Rows<T> block, std::size_t first, std::size_t n) {
      double* sums = probabilities.data() + first * n_classes;
      std::fill(sums, sums + n * n_classes, 0.0);
      add_probabilities<T>(trees, tables, block, n, smoothing, sums);
      if (trees.size() > 1) std::for_each(sums, sums + n * n_classes, [n_trees](double& sum) { sum /= n_trees; });
    });
  });
}

DecisionPaths decision_paths(Tree const& tree, MatrixView const& rows) {
  DecisionPaths paths;
  paths.row_begin.push_back(0);
  with_cell_type(rows, [&]<class T>(T) {
    for_each_block<T>(rows, 1, [&](Rows<T> block, std::size_t, std::size_t n) {
      for (std::size_t r = 0; r < n; ++r) {
        T const* row = block.data + static_cast<std::ptrdiff_t>(r) * block.stride;
        std::uint32_t node = 0;
        for (std::uint32_t next = 0;; node = next) {
          paths.nodes.push_back(node);
          next = next_node<T, false>(tree, node, row);
          if (next == node) break;
        }
        paths.row_begin.push_back(static_cast<std::int64_t>(paths.nodes.size()));
      }
    });
  });
  return paths;
}

}  // namespace rarewood
