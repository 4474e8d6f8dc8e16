// One class dominates and cuts inside its runs cannot win: sort the others only, the anchors, and count the dominant class between them.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "search/cut_orders/cut_proposer.hpp"
#include "search/cut_orders/sorted_keys.hpp"

namespace rarewood {

class AnchorsOrder {
 public:
  // Runs are merged whole, so no cut inside them may be needed.
  static bool applies(double min_cases, bool prune_runs) { return prune_runs && min_cases <= 1.0; }

  static double cost(NodeCells<Code> const& codes) {
    double const rows = static_cast<double>(codes.size());
    double const others = rows - static_cast<double>(codes.cells(dominant_class(codes)).size());
    return 60.0 + 3.0 * rows + SortedKeys::cost(others) + 12.0 * others;
  }

  template <bool Weighted>
  void visit(NodeRows const& node, NodeCells<Code> const& codes, CutProposer& cuts) {
    std::size_t const dominant = dominant_class(codes);
    keys_.sort<Weighted>(codes, dominant);
    find_anchors();
    count_between<Weighted>(node, codes, dominant);
    Code const low = codes.range().low;
    std::size_t const n_anchors = anchors_.size();
    for (std::size_t a = 0; a <= n_anchors; ++a) {
      auto const [gap_weight, gap_cases] = take<Weighted>(2 * a);
      if (gap_cases > 0.0) {
        cuts.next_value(a < n_anchors ? low + anchors_[a] - 1 : codes.range().high, dominant, gap_cases);
        cuts.add(dominant, gap_weight, gap_cases);
      }
      if (a == n_anchors) break;
      auto const [tied_weight, tied_cases] = take<Weighted>(2 * a + 1);
      std::size_t const first = keys_.cls<Weighted>(anchor_begin_[a], codes);
      bool const pure = tied_cases == 0.0 && first == keys_.cls<Weighted>(anchor_begin_[a + 1] - 1, codes);
      cuts.next_value(low + anchors_[a], pure ? first : CutProposer::mixed, 0.0);  // cases do not matter: anchors run without minimum sizes
      if (tied_cases > 0.0) cuts.add(dominant, tied_weight, tied_cases);
      for (std::size_t i = anchor_begin_[a]; i < anchor_begin_[a + 1]; ++i) {
        double const w = keys_.weight<Weighted>(i, codes);
        cuts.add(keys_.cls<Weighted>(i, codes), w, node.cases_of(w));
      }
    }
  }

 private:
  static std::size_t dominant_class(NodeCells<Code> const& codes) {
    std::size_t best = 0;
    for (std::size_t j = 1; j < codes.n_classes(); ++j) {
      if (codes.cells(j).size() > codes.cells(best).size()) best = j;
    }
    return best;
  }

  void find_anchors() {
    anchors_.clear();
    anchor_begin_.clear();
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      if (anchors_.empty() || keys_.code(i) != anchors_.back()) {
        anchors_.push_back(keys_.code(i));
        anchor_begin_.push_back(static_cast<std::uint32_t>(i));
      }
    }
    anchor_begin_.push_back(static_cast<std::uint32_t>(keys_.size()));
  }

  // A grid of at least twice as many cells as anchors over the codes of the node gives the first anchor a code can meet. Returns how far
  // a code is shifted to find its cell.
  int make_grid(std::size_t width) {
    std::size_t const n_anchors = anchors_.size();
    int const grid_bits = static_cast<int>(std::bit_width(n_anchors * 2));
    int const shift = std::max(0, static_cast<int>(std::bit_width(width - 1)) - grid_bits);
    std::size_t const n_cells = ((width - 1) >> shift) + 1;
    grid_.resize(n_cells + 1);
    std::size_t anchor = 0;
    for (std::size_t cell = 0; cell <= n_cells; ++cell) {
      while (anchor < n_anchors && (static_cast<std::size_t>(anchors_[anchor]) >> shift) < cell) ++anchor;
      grid_[cell] = static_cast<std::uint32_t>(anchor);
    }
    return shift;
  }

  // Slot 2a: the dominant class strictly between anchors a - 1 and a; slot 2a + 1: tied with anchor a.
  template <bool Weighted>
  void count_between(NodeRows const& node, NodeCells<Code> const& codes, std::size_t dominant) {
    std::span<Code const> const cells = codes.cells();
    [[maybe_unused]] std::span<double const> const weights = codes.weights();
    Code const low = codes.range().low;
    std::size_t const n_slots = 2 * (anchors_.size() + 1);
    if constexpr (Weighted) {
      if (weighted_counts_.size() < 2 * n_slots) weighted_counts_.resize(2 * n_slots, 0.0);
    } else {
      if (unit_counts_.size() < n_slots) unit_counts_.resize(n_slots, 0U);
    }
    int const shift = make_grid(codes.width());
    anchors_.push_back(missing_code);  // sentinel: larger than any code
    for (std::size_t i = codes.class_begin(dominant); i < codes.class_end(dominant); ++i) {
      Code const code = cells[i] - low;
      std::size_t const cell = code >> shift;
      std::size_t a = grid_[cell];
      if (grid_[cell + 1] - a > 8) {
        a = static_cast<std::size_t>(std::lower_bound(anchors_.begin() + static_cast<std::ptrdiff_t>(a), anchors_.end(), code) -
                                     anchors_.begin());
      } else {
        while (anchors_[a] < code) ++a;
      }
      std::size_t const slot = 2 * a + (anchors_[a] == code ? 1 : 0);
      if constexpr (Weighted) {
        weighted_counts_[2 * slot] += weights[i];
        weighted_counts_[2 * slot + 1] += node.cases_of(weights[i]);
      } else {
        ++unit_counts_[slot];
      }
    }
    anchors_.pop_back();
  }

  // Weight and cases of the dominant class in slot s; the slot is cleared for the next node.
  template <bool Weighted>
  std::pair<double, double> take(std::size_t s) {
    if constexpr (Weighted) return {std::exchange(weighted_counts_[2 * s], 0.0), std::exchange(weighted_counts_[2 * s + 1], 0.0)};
    double const count = std::exchange(unit_counts_[s], 0U);
    return {count, count};
  }

  SortedKeys keys_;
  std::vector<Code> anchors_;                // distinct codes of the other classes, ascending, and a sentinel
  std::vector<std::uint32_t> anchor_begin_;  // first key of each anchor
  std::vector<std::uint32_t> grid_;          // first anchor of each of a power of two equal parts of the node's codes
  std::vector<std::uint32_t> unit_counts_;   // zero between calls
  std::vector<double> weighted_counts_;
};

}  // namespace rarewood
