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
  Dataset const& data() const { return relabelled_ ? *relabelled_ : table_; }

  // The rows of tree i of the plan.
  Sample sample(std::size_t tree) const;

  // How often tree i of the plan drew each row, in the caller's row order.
  std::vector<std::uint32_t> times_drawn(std::size_t tree) const;

  // The caller's rows that tree i of the plan did not draw; where rows belong to groups, those of the groups that it left out.
  RowSet out_of_bag(std::size_t tree) const;

 private:
  std::size_t n_classes() const { return class_begin_.size() - 1; }
  bool sees_all() const { return plan_.sampling == Sampling::all && plan_.groups.empty(); }
  bool draws_few() const;
  // Calls visit(i, times) for the rows that a tree sees, ascending; i counts rows of positive weight.
  template <class Visit>
  void for_each_drawn(std::size_t tree, Visit visit) const;

  Dataset const& table_;
  ForestPlan const& plan_;
  std::optional<Dataset> relabelled_;
  // Rows of positive weight, by class.
  std::vector<Position> positions_;
  std::vector<std::size_t> class_begin_;
};

}  // namespace rarewood
