// Grows trees level by level without seeing rows (see parts.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rarewood/plan.hpp"
#include "rarewood/subtree.hpp"
#include "rarewood/table_shape.hpp"

namespace rarewood {

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
  // Those of them that the last answers led to.
  std::string new_splits() const;

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

// What all parts together answer; at least one message.
std::string sum_of_answers(std::span<std::string_view const> answers);

}  // namespace rarewood
