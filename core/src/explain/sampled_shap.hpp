// Shapley values of a tree with tests of several columns, by random permutations: each column gets what it adds to those in front of it. A
// permutation and its reverse make a pair, whose mean varies less than that of two independent ones. What the columns add along a
// permutation telescopes, so the sum over them is exact however few pairs there are.
//
// One pass per permutation finds the values of all its beginnings. A test is decided from the moment on when the last of its columns is
// known; a node that the row would not reach counts only before the first decided test has sent the row elsewhere. So a node needs its
// values for few beginnings, and a subtree in which nothing is decided so early needs only its mean.
#pragma once

#include <cstdint>
#include <vector>

#include "base/rng.hpp"
#include "explain/shapley_game.hpp"

namespace rarewood {

class SampledShap {
 public:
  SampledShap(ShapleyGame const& game, std::uint32_t n_pairs, Key key);

  // A node that a row may reach while only the first n < n_values columns of a permutation are known.
  struct Reached {
    std::uint32_t node;
    std::uint32_t n_values;
    std::uint32_t first_child;  // among the reached, or `whole`: all its values are its mean
    std::size_t values;         // where they begin: outputs x n_values
  };
  static constexpr std::uint32_t whole = 0;  // the root is nobody's child

  // Working memory; one per thread.
  struct Room {
    std::vector<std::uint32_t> places;  // per node
    std::vector<Reached> reached;       // parents before children
    std::vector<double> values;
    std::vector<double> pair;      // columns x outputs
    std::vector<double> mean;      // the same, of the pairs so far
    std::vector<double> deviance;  // the same: squared deviations from the mean
  };
  Room room() const;

  // Adds scale x contribution to values and its variance to variances, columns x outputs; `room.places` has been found for the row.
  void add(Room& room, double scale, double* values, double* variances) const;

  // Nodes looked at for a row, roughly.
  std::size_t work() const { return permutations_.size() * game_.tree.nodes.size(); }

 private:
  // Columns in an order, and from how many known ones on each node is decided; `earliest` has the least of that in its subtree.
  struct Permutation {
    std::vector<std::uint32_t> columns;  // places in columns_
    std::vector<std::uint32_t> decided;  // per node
    std::vector<std::uint32_t> earliest;
  };
  Permutation along(std::vector<std::uint32_t> columns, std::vector<std::uint32_t> const& places_of_columns) const;
  void find_means();

  // Adds half of what each column adds along a permutation to room.pair.
  void add_along(Permutation const& permutation, Room& room) const;
  // Lists the nodes that matter, with room for their values.
  void list_reached(Permutation const& permutation, Room& room) const;
  // The values of a reached node, those of its children being known.
  void find_values(Permutation const& permutation, Reached const& at, Room& room) const;

  ShapleyGame const& game_;
  std::vector<std::uint32_t> columns_;     // of the tree, ascending
  std::vector<double> means_;              // nodes x outputs: the value of knowing nothing below a node
  std::vector<Permutation> permutations_;  // each followed by its reverse
};

}  // namespace rarewood
