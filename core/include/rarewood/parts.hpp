// Growing trees on rows that lie elsewhere, in parts: files read one after the other, or the workers of a cluster. The trees are, bit for
// bit, those that `grow_forests` grows on all rows in one table, whatever the parts.
//
// A `LevelGrower` holds the trees and decides; a `PartRows` per part knows which of its rows are in which node, and answers. Between them go
// messages, small beside the rows:
//
//   splits, questions  ->  PartRows::answer  ->  sum_of_answers  ->  LevelGrower::hear  -> ... until there are no questions
//   splits, tasks      ->  PartRows::gather  ->  grow_gathered   ->  LevelGrower::graft
//
// What a part knows follows from the splits, so it may be lost and made again at any time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rarewood/dataset.hpp"
#include "rarewood/forest.hpp"
#include "rarewood/monitor.hpp"
#include "rarewood/plan.hpp"
#include "rarewood/subtree.hpp"
#include "rarewood/table_draws.hpp"

namespace rarewood {

// What is true of all parts of a table.
struct TableShape {
  std::vector<std::int32_t> n_categories;  // 0 for numbers
  std::vector<std::uint8_t> wide;          // columns of numbers that float32 does not hold
  std::size_t n_classes = 0;

  Dataset table(std::span<std::int32_t const> labels) const { return Dataset::to_fill(n_categories, wide, labels, n_classes); }
};

// A node of a tree of the plan whose rows are few enough to be gathered.
struct SmallNode {
  std::size_t tree;
  std::uint32_t node;
  double cases;
};

class LevelGrower {
 public:
  // Trees `first` to before `end` of the plan, which has no weights: these belong to the parts. Nodes of at most `small_cases` are left to
  // grow_gathered, and so is everything where no part can answer for the whole: exact thresholds.
  LevelGrower(TableShape const& shape, ForestPlan const& plan, std::size_t first, std::size_t end, double small_cases);
  ~LevelGrower();

  std::size_t n_questions() const;
  std::string questions() const;
  // The sum of the answers of all parts to the questions.
  void hear(std::string_view answers);
  // All since the roots.
  std::string splits() const;

  // When there are no questions left. In the order of trees.
  std::vector<SmallNode> const& small_nodes() const;
  // Those with the numbers `which` in that list.
  std::string tasks(std::span<std::size_t const> which) const;
  void graft(std::size_t small_node, Subtree const& subtree);
  std::vector<Tree> finish();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

class PartRows {
 public:
  // `class_before`: rows of positive weight that come before this part, class by class. `weights`: of its rows, empty = 1.
  PartRows(std::shared_ptr<TableDraws> draws, std::vector<std::size_t> class_before, std::vector<double> weights);
  PartRows(PartRows&&) noexcept;
  ~PartRows();

  // `data`: the part, every time with the same rows in the same order.
  std::string answer(Dataset const& data, std::string_view splits, std::string_view questions, unsigned n_threads, Monitor& monitor);
  // The rows of the nodes of tasks, each column in the form the core keeps it.
  std::string gather(Dataset const& data, std::string_view splits, std::string_view tasks, Monitor& monitor);
  // Adds what trees `first`, `first` + 1, ... of the plan say of the rows that they did not see. `rows`: the part as a matrix.
  void add_out_of_bag(Dataset const& data, MatrixView const& rows, std::size_t first, std::span<Tree const> trees,
                      PseudoCounts const& pseudo_counts, unsigned n_threads, Monitor& monitor, OutOfBag& result) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// At least one message.
std::string sum_of_answers(std::span<std::string_view const> answers);

// The subtree of each task; `blocks`: what the parts gathered for the same tasks, in the order of the parts.
std::vector<Subtree> grow_gathered(TableShape const& shape, ForestPlan const& plan, std::string_view tasks,
                                   std::span<std::string_view const> blocks, unsigned n_threads, Monitor& monitor);

}  // namespace rarewood
