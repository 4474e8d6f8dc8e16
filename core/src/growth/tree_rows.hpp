// The rows of a growing tree: positions grouped by node and, inside a node, by class; their weights; the tables that positions refer to.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/column_set.hpp"
#include "growth/class_weighting.hpp"
#include "growth/partition.hpp"
#include "samples/sample.hpp"

namespace rarewood {

// Where the rows of a node are.
struct RowSpan {
  std::size_t begin = 0;                   // first position
  std::shared_ptr<Dataset const> table{};  // what its positions refer to, shared with the rest of its subtree; null: the whole table
};

// What became of the rows of a node that was divided.
struct Children {
  std::size_t stride = 0;                 // n_classes + 1
  std::vector<std::size_t> class_begins;  // `stride` offsets per child, relative to the child's own beginning

  std::size_t size() const { return class_begins.size() / stride; }
  std::span<std::size_t const> class_begin(std::size_t child) const { return {class_begins.data() + child * stride, stride}; }
  std::size_t n_rows(std::size_t child) const { return class_begin(child).back(); }
};

class TreeRows {
 public:
  // The sample is used up. class_weights: one per class, or empty. forms: what local tables must hold of the columns.
  TreeRows(Dataset const& data, Sample& sample, std::span<double const> class_weights, Forms forms);

  // The rows of a node; valid until the next call.
  NodeRows const& enter(RowSpan const& rows, std::span<std::size_t const> class_begin);
  // Counts and cases of the node entered last, class weights applied.
  Counts leaf_counts() { return class_weighting_.leaf_counts(totals_); }
  // Gives the node entered last a table of its own if that pays: its rows are then dense in memory, and so are those of its children.
  void make_local(RowSpan& rows, ColumnSet const& features) {
    if (is_worth_a_table()) copy_to_table(rows, features);
  }

  // Moves the rows of the node entered last: child_of(position, i), where i counts them -> its child.
  template <class ChildOf>
  void split_in_two(ChildOf child_of) {
    partition_.split_in_two(begin_, node_.class_begin, child_of, children_.class_begins);
  }
  template <class ChildOf>
  void split_in_many(std::size_t n_children, ChildOf child_of) {
    partition_.split_in_many(begin_, node_.class_begin, n_children, child_of, children_.class_begins);
  }
  Children const& children() const { return children_; }
  // By weight, class weights applied; of equals the first.
  std::size_t heaviest_child() const;
  // Of two classes, what the second has of the weight of a child, class weights applied.
  double second_share(std::size_t child) const;

  Dataset const& table() const { return *node_.data; }
  // One number per category of any column: zero between uses.
  std::vector<std::uint32_t>& marks() { return marks_; }

 private:
  bool is_worth_a_table() const;
  void copy_to_table(RowSpan& rows, ColumnSet const& features);
  double weight_of(std::size_t begin, std::span<std::size_t const> class_begin) const;
  double weight_of_class(std::size_t cls, std::size_t begin, std::span<std::size_t const> class_begin) const;

  Dataset const& data_;
  Sample& sample_;
  ClassWeighting class_weighting_;
  Forms forms_;
  Partition partition_;
  NodeRows node_;
  std::size_t begin_ = 0;
  std::vector<double> totals_;  // of the node
  Children children_;
  std::vector<std::uint32_t> marks_;
};

}  // namespace rarewood
