// The rows one tree is grown on, and the rows of one node of it. Bootstraps and subsamples are weights or index lists, never copied rows.
#pragma once

#include <span>
#include <vector>

#include "rarewood/count_table.hpp"
#include "rarewood/dataset.hpp"

namespace rarewood {

struct Sample {
  std::vector<Position> positions;       // grouped by class
  std::vector<double> weights;           // parallel to positions; empty: every row weighs 1
  std::vector<std::size_t> class_begin;  // n_classes + 1 offsets into positions
  bool weights_are_cases = true;         // integer weights stand for repeated rows; otherwise each row is one case

  // Every row of the dataset, or those of positive weight; weights are given in the caller's row order, empty = unit weights.
  // Throws std::invalid_argument when a weight is negative or not finite, or none is positive.
  static Sample of(Dataset const& data, std::span<double const> weights);

  // Adds a row of the last class, drawn so many times.
  void add(Position position, double weight, std::uint32_t times);
  // Rows that all weigh 1 need no weights, and are searched faster without.
  void forget_unit_weights();
};

// A view of one node: rows grouped by class as in the sample.
struct NodeRows {
  Dataset const* data = nullptr;  // what the positions refer to
  std::span<Position const> positions;
  std::span<double const> weights;           // empty: every row weighs 1
  std::span<std::size_t const> class_begin;  // n_classes + 1 offsets into positions
  Counts totals;                             // n_classes weighted counts, then the number of cases
  bool weights_are_cases = true;

  std::size_t size() const { return positions.size(); }
  std::size_t n_classes() const { return class_begin.size() - 1; }
  double cases() const { return totals.back(); }
  double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
  double cases_of(double weight) const { return weights_are_cases ? weight : 1.0; }
};

}  // namespace rarewood
