// Which trees did not see a row is drawn first, a bit per row for each tree of a batch; then rows pass block by block, and of a block only the rows that a tree
// did not see walk down it.
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "bags.hpp"
#include "parallel.hpp"
#include "rarewood/forest.hpp"
#include "ready_tree.hpp"

namespace rarewood {

namespace {

constexpr std::size_t trees_at_once = 64;  // their bits take as much memory as a number per row

class RowSet {
 public:
  RowSet() = default;
  // The rows that were never drawn.
  explicit RowSet(std::span<std::uint32_t const> times) : words_((times.size() + 63) / 64, 0) {
    for (std::size_t row = 0; row < times.size(); ++row) {
      std::uint64_t const member = times[row] == 0 ? 1 : 0;
      words_[row / 64] |= member << row % 64;
      size_ += member;
    }
  }

  bool contains(std::size_t row) const { return (words_[row / 64] >> row % 64 & 1U) != 0; }
  std::size_t size() const { return size_; }

 private:
  std::vector<std::uint64_t> words_;
  std::size_t size_ = 0;
};

// Adds what a batch of trees says of the rows of one block.
template <class T>
class BlockAdder {
 public:
  BlockAdder(Rows<T> const& rows, std::size_t first_row, OutOfBag& result)
      : rows_(rows),
        may_be_missing_(rows.any_missing()),
        first_row_(first_row),
        result_(result),
        own_(result.sums.size() / result.n_trees.size()) {}

  void add(ReadyTree<T> const& tree, RowSet const& unseen) {
    std::size_t n = 0;
    for (std::size_t r = 0; r < rows_.n; ++r) {
      chosen_[n] = static_cast<std::uint32_t>(r);
      n += unseen.contains(first_row_ + r) ? 1 : 0;
    }
    if (n == 0) return;
    tree.find_leaves(dense_copy(n), may_be_missing_, leaves_.data());
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t const row = first_row_ + chosen_[i];
      ++result_.n_trees[row];
      tree.add_leaf(leaves_[i], own_, result_.sums.data() + row * own_.size());
    }
  }

 private:
  // The first n chosen rows, one behind the other.
  Rows<T> dense_copy(std::size_t n) {
    if (n == rows_.n) return rows_;
    cells_.resize(rows_.n * rows_.columns);
    for (std::size_t i = 0; i < n; ++i) std::copy_n(rows_.row(chosen_[i]), rows_.columns, cells_.data() + i * rows_.columns);
    return {cells_.data(), static_cast<std::ptrdiff_t>(rows_.columns), n, rows_.columns};
  }

  Rows<T> const& rows_;
  bool may_be_missing_;
  std::size_t first_row_;
  OutOfBag& result_;
  std::vector<double> own_;
  std::vector<T> cells_;
  std::array<std::uint32_t, block_rows> chosen_;
  std::array<std::uint32_t, block_rows> leaves_;
};

// The trees from `first` on, as many as there are in `unseen`.
template <class T>
void add_batch(Dataset const& data, std::span<Tree const> trees, std::span<RowSet const> unseen, PseudoCounts const& pseudo_counts,
               unsigned n_threads, Monitor& monitor, OutOfBag& result) {
  std::vector<ReadyTree<T>> ready;
  ready.reserve(trees.size());
  for (std::size_t t = 0; t < trees.size(); ++t) ready.emplace_back(trees[t], pseudo_counts, 1.0, unseen[t].size());
  for_each_block<T>(data.input(), n_threads, [&](Rows<T> const& rows, std::size_t first_row) {
    BlockAdder<T> adder(rows, first_row, result);
    for (std::size_t t = 0; t < trees.size(); ++t) adder.add(ready[t], unseen[t]);
    monitor.poll();
  });
}

}  // namespace

OutOfBag out_of_bag(Dataset const& data, ForestPlan const& plan, std::span<Tree const> trees, PseudoCounts const& pseudo_counts,
                    unsigned n_threads, Monitor& monitor) {
  plan.check();
  if (trees.size() != plan.n_trees)
    throw std::invalid_argument("the plan has " + std::to_string(plan.n_trees) + " trees, the forest " + std::to_string(trees.size()));
  Bags const bags(data, plan);
  std::size_t const n_classes = bags.data().n_classes();
  if (trees.front().n_classes != n_classes || trees.front().n_features != data.n_features() || pseudo_counts.n_classes() != n_classes)
    throw std::invalid_argument("the forest was not grown by this plan on this table");
  OutOfBag result{std::vector<double>(data.n_rows() * n_classes, 0.0), std::vector<std::uint32_t>(data.n_rows(), 0)};
  if (data.n_rows() == 0) return result;
  for (std::size_t first = 0; first < trees.size(); first += trees_at_once) {
    std::vector<RowSet> unseen(std::min(trees_at_once, trees.size() - first));
    parallel_for(unseen.size(), n_threads, [&](std::size_t t) {
      unseen[t] = RowSet(bags.times_drawn(first + t));
      monitor.poll();
    });
    with_cell_type(data.input(), [&]<class T>(T) {
      add_batch<T>(data, trees.subspan(first, unseen.size()), unseen, pseudo_counts, n_threads, monitor, result);
    });
  }
  return result;
}

}  // namespace rarewood
