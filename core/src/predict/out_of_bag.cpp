// The rows that a tree drew are drawn again first, for a batch of trees. Then the rows of the table come chunk by chunk, and of a chunk
// only those go down a tree that it did not draw.
#include "rarewood/out_of_bag.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "predict/add_out_of_bag.hpp"
#include "predict/ready_tree.hpp"
#include "samples/tree_samples.hpp"

namespace rarewood {

namespace {

constexpr std::size_t trees_at_once = 64;  // their sets of rows take as much memory as a number per row

// Adds what trees say of the rows of one chunk.
template <class T>
class ChunkAdder {
 public:
  ChunkAdder(Rows<T> const& rows, std::size_t first_row, std::size_t n_classes, OutOfBag& result)
      : rows_(rows),
        may_be_missing_(rows.any_missing()),
        first_row_(first_row),
        result_(result),
        width_(result.sums.size() / result.n_trees.size()),
        own_(n_classes),
        cells_(block_rows * rows.columns) {}

  // `tree`: ready with each of the pseudo-counts.
  void add(std::span<ReadyTree<T> const> tree, RowSet const& out_of_bag) {
    out_of_bag.for_each(first_row_, first_row_ + rows_.n, [&](std::size_t row) {
      std::copy_n(rows_.row(row - first_row_), rows_.columns, cells_.data() + n_waiting_ * rows_.columns);
      waiting_[n_waiting_++] = row;
      if (n_waiting_ == block_rows) add_waiting(tree);
    });
    add_waiting(tree);
  }

 private:
  void add_waiting(std::span<ReadyTree<T> const> tree) {
    tree.front().find_leaves({cells_.data(), static_cast<std::ptrdiff_t>(rows_.columns), n_waiting_, rows_.columns}, may_be_missing_,
                             descent_, leaves_.data());
    for (std::size_t i = 0; i < n_waiting_; ++i) {
      ++result_.n_trees[waiting_[i]];
      double* sums = result_.sums.data() + waiting_[i] * width_;
      for (ReadyTree<T> const& smoothed : tree) {
        smoothed.add_leaves({leaves_.data() + i, 1}, own_, sums);
        sums += own_.size();
      }
    }
    n_waiting_ = 0;
  }

  Rows<T> const& rows_;
  bool may_be_missing_;
  std::size_t first_row_;
  OutOfBag& result_;
  std::size_t width_;  // sums of a row
  std::vector<double> own_;
  // Rows that wait until enough of them can descend side by side, their cells one behind the other.
  std::vector<T> cells_;
  std::array<std::size_t, block_rows> waiting_;
  std::size_t n_waiting_ = 0;
  std::array<std::uint32_t, block_rows> leaves_;
  Descent descent_;
};

// Adds what the trees from number `first` on, as many as `trees` holds, say of the rows they did not see.
template <class T, class Table>
void add_trees(Table const& table, OutOfBagRows const& out_of_bag_rows, std::size_t first, std::span<Tree const> trees,
               std::span<PseudoCounts const> pseudo_counts, unsigned n_threads, Monitor& monitor, OutOfBag& result) {
  std::vector<RowSet> out_of_bag(trees.size());
  std::vector<std::vector<ReadyTree<T>>> ready(trees.size());
  parallel_for(trees.size(), n_threads, monitor, [&](std::size_t t, Monitor&) {
    out_of_bag[t] = out_of_bag_rows(first + t);
    for (PseudoCounts const& each : pseudo_counts) ready[t].emplace_back(trees[t], each, 1.0, out_of_bag[t].size());
  });
  for_each_block<T>(table, chunk_rows(table, n_threads), n_threads, monitor,
                    [&](Rows<T> const& rows, std::size_t first_row, Monitor& shared) {
                      ChunkAdder<T> adder(rows, first_row, trees.front().n_classes, result);
                      for (std::size_t t = 0; t < trees.size(); ++t) {
                        adder.add(ready[t], out_of_bag[t]);
                        shared.poll();
                      }
                    });
}

}  // namespace

template <class Table>
void add_out_of_bag(Table const& table, OutOfBagRows const& out_of_bag, std::size_t first, std::span<Tree const> trees,
                    std::span<PseudoCounts const> pseudo_counts, unsigned n_threads, Monitor& monitor, OutOfBag& result) {
  if (table.rows == 0 || trees.empty()) return;
  with_cell_type(table, [&]<class T>(T) {
    for (std::size_t begin = 0; begin < trees.size(); begin += trees_at_once)
      add_trees<T>(table, out_of_bag, first + begin, trees.subspan(begin, std::min(trees_at_once, trees.size() - begin)), pseudo_counts,
                   n_threads, monitor, result);
  });
}

template void add_out_of_bag(MatrixView const&, OutOfBagRows const&, std::size_t, std::span<Tree const>, std::span<PseudoCounts const>,
                             unsigned, Monitor&, OutOfBag&);
template void add_out_of_bag(DatasetRows const&, OutOfBagRows const&, std::size_t, std::span<Tree const>, std::span<PseudoCounts const>,
                             unsigned, Monitor&, OutOfBag&);

OutOfBag out_of_bag(Dataset const& data, ForestPlan const& plan, std::span<Tree const> trees, std::span<PseudoCounts const> pseudo_counts,
                    unsigned n_threads, Monitor& monitor, OutOfBag* half) {
  plan.check();
  if (trees.size() != plan.n_trees)
    throw std::invalid_argument("the plan has " + std::to_string(plan.n_trees) + " trees, the forest " + std::to_string(trees.size()));
  TreeSamples const samples(data, plan);
  std::size_t const n_classes = samples.data().n_classes();
  if (trees.front().n_classes != n_classes || trees.front().n_features != data.n_features() ||
      pseudo_counts.front().n_classes() != n_classes)
    throw std::invalid_argument("the forest was not grown by this plan on this table");
  OutOfBag result{std::vector<double>(data.n_rows() * pseudo_counts.size() * n_classes, 0.0), std::vector<std::uint32_t>(data.n_rows(), 0)};
  auto const add = [&](std::size_t begin, std::size_t end) {
    add_out_of_bag(
        data.input(), [&samples](std::size_t tree) { return samples.out_of_bag(tree); }, begin, trees.subspan(begin, end - begin),
        pseudo_counts, n_threads, monitor, result);
  };
  std::size_t const middle = half == nullptr ? 0 : trees.size() / 2;
  add(0, middle);
  if (half != nullptr) *half = result;
  add(middle, trees.size());
  return result;
}

}  // namespace rarewood
