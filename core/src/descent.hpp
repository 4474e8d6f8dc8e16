// A block of rows on its way down the stairs of one tree. Rows move a few steps at a time; those that have halted leave, so that nobody
// walks as far as the deepest.
#pragma once

#include <array>
#include <cstdint>

#include "stairs.hpp"
#include "vector_walks.hpp"
#include "walk.hpp"

namespace rarewood {

inline constexpr std::size_t block_rows = 512;  // that go down a tree together

// Rows that have halted, in any order.
struct Arrivals {
  std::array<std::uint32_t, block_rows + vector_room> row;       // of the block
  std::array<std::uint32_t, block_rows + vector_room> leaf_row;  // of the leaf table
  std::size_t size = 0;
};

class Descent {
 public:
  // Takes at most block_rows rows, `stride` apart, to leaves; may_be_missing = false promises that all cells are finite.
  template <class Step, class T>
  Arrivals const& walk(Tree const& tree, Stairs<Step> const& stairs, T const* rows, std::size_t stride, std::size_t n,
                       bool may_be_missing) {
    arrived_.size = 0;
    n_walking_ = n;
    for (std::size_t i = 0; i < n; ++i) {
      at_[i] = 0;
      row_[i] = static_cast<std::uint32_t>(i);
    }
    while (n_walking_ > 0) {
      std::size_t const first = arrived_.size;
      if (may_be_missing) {
        go<true>(stairs.steps(), rows, stride);
      } else {
        go<false>(stairs.steps(), rows, stride);
      }
      if (stairs.has_stops()) leave_stops(tree, stairs, rows, stride, first);
    }
    return arrived_;
  }

 private:
  // Until all have halted.
  template <bool MayBeMissing, class Step, class T>
  void go(Step const* steps, T const* rows, std::size_t stride) {
    WalkingRows const walking{at_.data(), row_.data(), n_walking_};
    HaltedRows const halted{arrived_.row.data(), arrived_.leaf_row.data(), arrived_.size};
    if (vector_walk(MayBeMissing, steps, rows, stride, walking, halted)) {
      arrived_.size += n_walking_;
      n_walking_ = 0;
      return;
    }
    while (n_walking_ > 0) {
      std::size_t n_left = 0;
      std::size_t n_halted = arrived_.size;
      for (std::size_t i = 0; i < n_walking_; ++i) {
        std::uint32_t const row = row_[i];
        T const* const cells = rows + row * stride;
        std::uint32_t at = at_[i];
        at += steps[at].template ahead<MayBeMissing>(cells);
        Step const& step = steps[at];
        bool const halts = step.halts();
        arrived_.row[n_halted] = row;  // written in either case: a branch would be wrong too often
        arrived_.leaf_row[n_halted] = step.why();
        n_halted += static_cast<std::size_t>(halts);
        row_[n_left] = row;
        at_[n_left] = at + step.template ahead<MayBeMissing>(cells);
        n_left += static_cast<std::size_t>(!halts);
      }
      arrived_.size = n_halted;
      n_walking_ = n_left;
    }
  }

  // Of the arrivals from number `first` on, those at a stop walk on.
  template <class Step, class T>
  void leave_stops(Tree const& tree, Stairs<Step> const& stairs, T const* rows, std::size_t stride, std::size_t first) {
    std::size_t n_stay = first;
    for (std::size_t i = first; i < arrived_.size; ++i) {
      std::uint32_t const row = arrived_.row[i];
      std::uint32_t why = arrived_.leaf_row[i];
      if ((why & Step::stop) != 0) {
        auto const& stop = stairs.stop(why & (Step::stop - 1));
        std::uint32_t const next = next_node(tree, stop.node, rows + row * stride);
        if (next != stop.node) {
          row_[n_walking_] = row;
          at_[n_walking_++] = stop.child + (next - tree.nodes[stop.node].first_child);
          continue;
        }
        why = tree.row_of(tree.nodes[stop.node]);
      }
      arrived_.row[n_stay] = row;
      arrived_.leaf_row[n_stay++] = why;
    }
    arrived_.size = n_stay;
  }

  // Rows that still walk: where they are, and which they are.
  std::array<std::uint32_t, block_rows + vector_room> at_;
  std::array<std::uint32_t, block_rows + vector_room> row_;
  std::size_t n_walking_ = 0;
  Arrivals arrived_;
};

}  // namespace rarewood
