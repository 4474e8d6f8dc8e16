// The codes of the node span a short range: count per code, then go through the range.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "search/cut_orders/cut_proposer.hpp"
#include "search/node_cells.hpp"

namespace rarewood {

class HistogramOrder {
 public:
  // Infinite where its memory would not be small beside the rows.
  static double cost(NodeCells<Code> const& codes) {
    double const rows = static_cast<double>(codes.size());
    double const width = static_cast<double>(codes.width());
    double const n_classes = static_cast<double>(codes.n_classes());
    bool const too_large = width * (n_classes + 1.0) > std::max(2.0 * rows, 4096.0);
    return too_large ? std::numeric_limits<double>::infinity() : 1.5 * rows + 0.6 * width * n_classes;
  }

  template <bool Weighted>
  void visit(NodeRows const& node, NodeCells<Code> const& codes, CutProposer& cuts) {
    if constexpr (Weighted) {
      walk_counts<Weighted>(node, codes, weighted_counts_, cuts);
    } else {
      walk_counts<Weighted>(node, codes, unit_counts_, cuts);
    }
  }

 private:
  template <bool Weighted, class Counts>
  static void walk_counts(NodeRows const& node, NodeCells<Code> const& codes, Counts& counts, CutProposer& cuts) {
    std::span<Code const> const cells = codes.cells();
    [[maybe_unused]] std::span<double const> const weights = codes.weights();
    Code const low = codes.range().low;
    std::size_t const n_classes = codes.n_classes();
    std::size_t const width = codes.width();
    std::size_t const stride = Weighted ? n_classes + 1 : n_classes;  // weighted: the cases of the value come last
    if (counts.size() < width * stride) counts.resize(width * stride, 0);
    for (std::size_t j = 0; j < n_classes; ++j) {
      for (std::size_t i = codes.class_begin(j); i < codes.class_end(j); ++i) {
        auto* slot = counts.data() + (cells[i] - low) * stride;
        if constexpr (Weighted) {
          slot[j] += weights[i];
          slot[n_classes] += node.cases_of(weights[i]);
        } else {
          ++slot[j];
        }
      }
    }
    for (std::size_t r = 0; r < width; ++r) {
      auto* slot = counts.data() + r * stride;
      std::size_t pure = CutProposer::mixed;
      std::size_t n_present = 0;
      double cases = 0.0;
      for (std::size_t j = 0; j < n_classes; ++j) {
        if (slot[j] == 0) continue;
        pure = j;
        ++n_present;
        cases += static_cast<double>(slot[j]);
      }
      if (n_present == 0) continue;
      if constexpr (Weighted) cases = slot[n_classes];
      cuts.next_value(low + static_cast<Code>(r), n_present == 1 ? pure : CutProposer::mixed, cases);
      double cases_to_add = cases;  // all with the first class: only their sum matters
      for (std::size_t j = 0; j < n_classes; ++j) {
        if (slot[j] == 0) continue;
        cuts.add(j, static_cast<double>(slot[j]), std::exchange(cases_to_add, 0.0));
        slot[j] = 0;
      }
      if constexpr (Weighted) slot[n_classes] = 0.0;
    }
  }

  std::vector<std::uint32_t> unit_counts_;  // zero between calls
  std::vector<double> weighted_counts_;
};

}  // namespace rarewood
