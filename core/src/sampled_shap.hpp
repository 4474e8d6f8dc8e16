// Shapley values of a tree with tests of several columns, by random permutations: each column gets what it adds to those in front of it. A
// permutation and its reverse make a pair, whose mean varies less than that of two independent ones. What the columns add along a
// permutation telescopes, so the sum over them is exact however few pairs there are.
#pragma once

#include <cstdint>
#include <vector>

#include "rarewood/rng.hpp"
#include "tree_game.hpp"

namespace rarewood {

class SampledShap {
 public:
  SampledShap(TreeGame const& game, std::uint32_t n_pairs, Key key);

  // What a walk keeps; one per thread.
  struct Room {
    std::vector<std::uint32_t> places;  // per node
    std::vector<double> now;            // per output: the value of what is known so far
    std::vector<double> before;
    std::vector<double> pair;      // columns x outputs
    std::vector<double> mean;      // the same, of the pairs so far
    std::vector<double> deviance;  // the same: squared deviations from the mean
    std::vector<std::pair<std::uint32_t, double>> stack;
  };
  Room room() const;

  // Adds scale x contribution to values and its variance to variances, columns x outputs; `room.places` has been found for the row.
  void add(Room& room, double scale, double* values, double* variances) const;

  // Nodes looked at for a row, roughly.
  std::size_t work() const { return 2 * permutations_.size() * columns_.size() * game_.tree.nodes.size() / 4; }

 private:
  // Adds half of what each column adds along a permutation, or along its reverse, to room.pair.
  void add_along(std::vector<std::uint32_t> const& ranks, bool reversed, Room& room) const;
  // The value where the columns of the first n_known ranks are known.
  void find_value(std::vector<std::uint32_t> const& ranks, bool reversed, std::uint32_t n_known, Room& room) const;

  TreeGame const& game_;
  std::vector<std::uint32_t> columns_;                    // of the tree, ascending
  std::vector<std::uint32_t> tested_;                     // per test and column of it: place in columns_
  std::vector<std::size_t> tested_begin_;                 // per node
  std::vector<std::vector<std::uint32_t>> permutations_;  // rank of each of columns_
};

}  // namespace rarewood
