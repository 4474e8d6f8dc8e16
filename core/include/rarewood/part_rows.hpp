// Answers for the rows of one part of a table (see parts.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rarewood/out_of_bag.hpp"
#include "rarewood/table_draws.hpp"

namespace rarewood {

class PartRows {
 public:
  // `class_before`: rows of positive weight that come before this part, class by class. `weights` and
  // `groups`: of its rows; empty = 1, and none.
  PartRows(std::shared_ptr<TableDraws> draws, std::vector<std::size_t> class_before, std::vector<double> weights,
           std::vector<std::uint32_t> groups);
  PartRows(PartRows&&) noexcept;
  ~PartRows();

  // Whether splits are missing that come before these: all since the roots are needed then.
  bool is_behind(std::string_view splits) const;
  // `data`: the part, every time with the same rows in the same order.
  std::string answer(Dataset const& data, std::string_view splits, std::string_view questions, unsigned n_threads, Monitor& monitor);
  // The rows of the nodes of tasks, each column in the form the core keeps it.
  std::string gather(Dataset const& data, std::string_view splits, std::string_view tasks, Monitor& monitor);
  // Adds what trees `first`, `first` + 1, ... of the plan say of the rows that they did not see.
  void add_out_of_bag(Dataset const& data, std::size_t first, std::span<Tree const> trees, std::span<PseudoCounts const> pseudo_counts,
                      unsigned n_threads, Monitor& monitor, OutOfBag& result) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rarewood
