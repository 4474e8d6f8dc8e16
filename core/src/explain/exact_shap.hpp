// Exact Shapley values of a tree whose tests read one column each.
//
// A path from the root is a product over the columns on it: column j gives z_j, the share of weight that takes its tests, when it is unknown,
// and o_j, 1 or 0, when it is known. If every column is known with probability t, the path has the expected weight
//   P(t) = prod_j f_j(t),  f_j(t) = (1 - t) z_j + t o_j,
// and the Shapley value of j is the integral over t in [0, 1] of (o_j - z_j) P(t) / f_j(t), times the value of the leaf (Owen's multilinear
// extension). P / f_j is a polynomial of lower degree than there are columns on the path, so Gauss and Legendre's rule with half as many points is
// exact. Sums over the leaves below an edge are shared by all of them: a row costs edges x points, whatever the depth.
#pragma once

#include <cstdint>
#include <vector>

#include "explain/shapley_game.hpp"

namespace rarewood {

class ExactShap {
 public:
  // The game must have no tests of several columns.
  explicit ExactShap(ShapleyGame const& game);

  // Working memory; one per thread.
  struct Room {
    std::vector<std::uint32_t> places;   // per node
    std::vector<std::uint8_t> known_in;  // per edge: 1 if the row takes all edges of this column from the root to here
    std::vector<std::uint32_t> edge_at;  // per level
    std::vector<double> weights;         // per level and point: P
    std::vector<double> sums;            // per level, output and point: of the leaves below
  };
  Room room() const;

  // Adds scale x contribution of each column to values, columns x outputs; `room.places` has been found for the row.
  void add(Room& room, double scale, double* values) const;

  std::size_t n_edges() const { return edges_.size(); }

  // From a node to a child, or to the counts of the node itself, in which a row ends that goes to no child.
  struct Edge {
    std::uint32_t from;   // node
    std::uint32_t place;  // among its children, or `stays`
    std::uint32_t column;
    std::uint32_t level;     // 1 for the edges of the root
    std::uint32_t end;       // the first edge that is not below this one
    std::uint32_t leaf_row;  // or `inner`
    std::int32_t before;     // the last edge above of the same column, or -1
    double share;            // of this edge alone
    double z;                // of all edges of the column down to here
  };
  static constexpr std::uint32_t inner = static_cast<std::uint32_t>(-1);

  // Four rows of points per edge: factors of P for a row that is on this edge and for one that has left here; what a leaf below adds to
  // the column's value, over P, for both.
  double const* tables(std::size_t edge) const { return tables_.data() + edge * 4 * n_points_; }
  std::vector<Edge> const& edges() const { return edges_; }
  std::size_t n_points() const { return n_points_; }
  ShapleyGame const& game() const { return game_; }

 private:
  void list_edges();
  void fill_tables();

  ShapleyGame const& game_;
  std::vector<Edge> edges_;  // in preorder
  std::size_t n_points_ = 0;
  std::uint32_t n_levels_ = 0;
  std::vector<double> tables_;
};

}  // namespace rarewood
