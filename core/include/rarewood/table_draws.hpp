// Which rows of a table the trees of a plan draw, when the table is in parts. Only the sizes of its classes matter.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "rarewood/plan.hpp"

namespace rarewood {

// Draws of a tree are made once and shared by all parts that are in one place, until they are told to be forgotten.
class TableDraws {
 public:
  struct OfTree {
    std::vector<std::uint16_t> times;  // how often each row of positive weight is drawn; empty where every tree sees all
    std::vector<bool> left_out;        // groups; empty where rows do not belong to groups
  };

  // `class_sizes`: rows of positive weight in the whole table.
  TableDraws(ForestPlan plan, std::vector<std::size_t> const& class_sizes);

  ForestPlan const& plan() const { return plan_; }
  // Where the rows of each class begin among those of positive weight; one past the last at the end.
  std::vector<std::size_t> const& class_begin() const { return class_begin_; }

  std::shared_ptr<OfTree const> of_tree(std::size_t tree);
  void forget();

 private:
  struct Entry {
    std::once_flag once;
    OfTree draws;
  };

  ForestPlan plan_;
  std::vector<std::size_t> class_begin_;
  std::mutex guard_;
  std::map<std::size_t, std::shared_ptr<Entry>> known_;
};

}  // namespace rarewood
