#include "explain/exact_shap.hpp"

#include <algorithm>

#include "base/simd_dispatch.hpp"
#include "explain/gauss_legendre.hpp"

namespace rarewood {

namespace {

constexpr std::size_t lanes = 4;  // points are padded to a multiple; the others weigh nothing

// Adds up `sums` of a finished edge: to its column, and to the level above.
inline void close(ExactShap const& tree, ExactShap::Room& room, std::size_t level, double scale, double* values) {
  std::uint32_t const at = room.edge_at[level];
  ExactShap::Edge const& edge = tree.edges()[at];
  std::size_t const n_points = tree.n_points();
  std::size_t const n_outputs = tree.game().n_outputs;
  double const* const sums = room.sums.data() + level * n_outputs * n_points;
  double* const above = room.sums.data() + (level - 1) * n_outputs * n_points;
  bool const left_before = edge.before >= 0 && room.known_in[static_cast<std::size_t>(edge.before)] == 0;
  for (std::size_t i = 0; i < n_outputs * n_points; ++i) above[i] += sums[i];
  if (left_before) return;  // what a leaf below adds has been counted where the row left
  double const* const gains = tree.tables(at) + (room.known_in[at] != 0 ? 2 : 3) * n_points;
  for (std::size_t k = 0; k < n_outputs; ++k) {
    double parts[lanes] = {0.0, 0.0, 0.0, 0.0};
    for (std::size_t q = 0; q < n_points; q += lanes) {
      for (std::size_t l = 0; l < lanes; ++l) parts[l] += gains[q + l] * sums[k * n_points + q + l];
    }
    values[edge.column * n_outputs + k] += scale * ((parts[0] + parts[1]) + (parts[2] + parts[3]));
  }
}

RAREWOOD_SIMD(void, add_exactly, (ExactShap const& tree, ExactShap::Room& room, double scale, double* values),
              (tree, room, scale, values)) {
  std::vector<ExactShap::Edge> const& edges = tree.edges();
  std::size_t const n_points = tree.n_points();
  std::size_t const n_outputs = tree.game().n_outputs;
  std::size_t level = 0;
  std::fill_n(room.weights.begin(), n_points, 1.0);
  std::fill_n(room.sums.begin(), n_outputs * n_points, 0.0);
  for (std::size_t e = 0; e < edges.size();) {
    ExactShap::Edge const& edge = edges[e];
    for (; level >= edge.level; --level) close(tree, room, level, scale, values);
    bool const in_before = edge.before < 0 || room.known_in[static_cast<std::size_t>(edge.before)] != 0;
    bool const in = in_before && room.places[edge.from] == edge.place;
    if (!in && edge.z == 0.0) {
      e = edge.end;
      continue;
    }
    room.known_in[e] = in ? 1 : 0;
    level = edge.level;
    room.edge_at[level] = static_cast<std::uint32_t>(e);
    double const* const above = room.weights.data() + (level - 1) * n_points;
    double* const weights = room.weights.data() + level * n_points;
    if (in_before) {
      double const* const factors = tree.tables(e) + (in ? 0 : 1) * n_points;
      for (std::size_t q = 0; q < n_points; ++q) weights[q] = above[q] * factors[q];
    } else {
      for (std::size_t q = 0; q < n_points; ++q) weights[q] = above[q] * edge.share;
    }
    double* const sums = room.sums.data() + level * n_outputs * n_points;
    if (edge.leaf_row == ExactShap::inner) {
      std::fill_n(sums, n_outputs * n_points, 0.0);
    } else {
      double const* const leaf = tree.game().leaf_value(edge.leaf_row);
      for (std::size_t k = 0; k < n_outputs; ++k) {
        for (std::size_t q = 0; q < n_points; ++q) sums[k * n_points + q] = leaf[k] * weights[q];
      }
    }
    ++e;
  }
  for (; level > 0; --level) close(tree, room, level, scale, values);
}

}  // namespace

ExactShap::ExactShap(ShapleyGame const& game) : game_(game) {
  list_edges();
  fill_tables();
}

void ExactShap::list_edges() {
  Tree const& tree = game_.tree;
  struct Waiting {
    std::uint32_t from;
    std::uint32_t place;
    std::uint32_t level;
  };
  std::vector<Waiting> stack;
  auto const push_children = [&](std::uint32_t node, std::uint32_t level) {
    if (tree.nodes[node].is_leaf()) return;
    bool const may_stay = visit_kind(
        tree.nodes[node], false, [&]<class Kind>(std::type_identity<Kind>) { return requires { Kind::own_row(tree, tree.nodes[node]); }; });
    if (may_stay) stack.push_back({node, stays, level});
    for (std::uint32_t c = tree.n_children(tree.nodes[node]); c-- > 0;) stack.push_back({node, c, level});
  };
  std::vector<std::int32_t> last(tree.n_features, -1);  // edge of each column on the way to here
  std::vector<std::uint32_t> path;                      // edges on the way
  std::size_t most_columns = 1;
  std::size_t n_columns = 0;
  auto const leave = [&] {
    Edge& edge = edges_[path.back()];
    edge.end = static_cast<std::uint32_t>(edges_.size());
    last[edge.column] = edge.before;
    if (edge.before < 0) --n_columns;
    path.pop_back();
  };
  push_children(0, 1);
  while (!stack.empty()) {
    Waiting const next = stack.back();
    stack.pop_back();
    while (path.size() >= next.level) leave();
    std::uint32_t const column = game_.columns(next.from)[0];
    bool const own = next.place == stays;
    std::uint32_t const to = own ? next.from : tree.nodes[next.from].first_child + next.place;
    std::int32_t const before = last[column];
    double const share = own ? 0.0 : game_.shares[to];
    double const z = before < 0 ? share : edges_[static_cast<std::size_t>(before)].z * share;
    bool const ends = own || tree.nodes[to].is_leaf();
    last[column] = static_cast<std::int32_t>(edges_.size());
    path.push_back(static_cast<std::uint32_t>(edges_.size()));
    edges_.push_back({next.from, next.place, column, next.level, 0, ends ? tree.row_of(tree.nodes[to]) : inner, before, share, z});
    if (before < 0) ++n_columns;
    most_columns = std::max(most_columns, n_columns);
    n_levels_ = std::max(n_levels_, next.level);
    if (!ends) push_children(to, next.level + 1);
  }
  while (!path.empty()) leave();
  n_points_ = (most_columns + 1) / 2;
}

void ExactShap::fill_tables() {
  Quadrature rule = gauss_legendre(n_points_);
  std::size_t const n_true = n_points_;
  n_points_ = (n_true + lanes - 1) / lanes * lanes;
  rule.points.resize(n_points_, 0.5);
  rule.weights.resize(n_points_, 0.0);
  tables_.resize(edges_.size() * 4 * n_points_);
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    Edge const& edge = edges_[e];
    double* const table = tables_.data() + e * 4 * n_points_;
    for (std::size_t q = 0; q < n_points_; ++q) {
      double const t = rule.points[q];
      double const w = rule.weights[q];
      auto const f_in = [t](double z) { return (1.0 - t) * z + t; };
      auto const gain_in = [&](double z) { return w * (1.0 - z) / f_in(z); };
      double const gain_out = -w / (1.0 - t);  // w (0 - z) / ((1 - t) z)
      bool const first = edge.before < 0;
      double const z_before = first ? 1.0 : edges_[static_cast<std::size_t>(edge.before)].z;
      double const f_before = first ? 1.0 : f_in(z_before);
      double const gain_before = first ? 0.0 : gain_in(z_before);
      table[q] = f_in(edge.z) / f_before;
      table[n_points_ + q] = (1.0 - t) * edge.z / f_before;
      table[2 * n_points_ + q] = gain_in(edge.z) - gain_before;
      table[3 * n_points_ + q] = gain_out - gain_before;
    }
  }
}

ExactShap::Room ExactShap::room() const {
  Room room;
  room.places.resize(game_.tree.nodes.size());
  room.known_in.resize(edges_.size());
  room.edge_at.resize(n_levels_ + 1);
  room.weights.resize((n_levels_ + 1) * n_points_);
  room.sums.resize((n_levels_ + 1) * n_points_ * game_.n_outputs);
  return room;
}

void ExactShap::add(Room& room, double scale, double* values) const { add_exactly(*this, room, scale, values); }

}  // namespace rarewood
