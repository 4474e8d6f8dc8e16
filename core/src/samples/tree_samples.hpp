// Which rows the trees of a plan see. The draws of a tree come from a stream of their own, so they can be repeated without growing it.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/row_set.hpp"
#include "rarewood/plan.hpp"
#include "samples/sample.hpp"

namespace rarewood {

class TreeSamples {
 public:
  // Throws std::invalid_argument when the plan does not fit the table. Both must outlive it.
  TreeSamples(Dataset const& table, ForestPlan const& plan);

  // The table with the classes of the plan.
  Dataset const& data() const { return regrouped_ ? *regrouped_ : table_; }

  // The rows of tree i of the plan.
  Sample sample(std::size_t tree) const;

  // How often tree i of the plan drew each row, in the caller's row order.
  std::vector<std::uint32_t> times_drawn(std::size_t tree) const;

  // The caller's rows that tree i of the plan did not draw.
  RowSet out_of_bag(std::size_t tree) const;

 private:
  std::size_t n_classes() const { return class_begin_.size() - 1; }
  bool draws_few() const;

  Dataset const& table_;
  ForestPlan const& plan_;
  std::optional<Dataset> regrouped_;
  // Rows of positive weight, by class.
  std::vector<Position> positions_;
  std::vector<std::size_t> class_begin_;
};

}  // namespace rarewood
