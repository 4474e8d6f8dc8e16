#include "explain/sampled_shap.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace rarewood {

SampledShap::SampledShap(ShapleyGame const& game, std::uint32_t n_pairs, Key key) : game_(game) {
  for (std::size_t i = 0; i < game.tree.nodes.size(); ++i) columns_.insert(columns_.end(), game.columns(i).begin(), game.columns(i).end());
  std::sort(columns_.begin(), columns_.end());
  columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
  find_means();
  std::vector<std::uint32_t> places(game.tree.n_features);
  for (std::size_t c = 0; c < columns_.size(); ++c) places[columns_[c]] = static_cast<std::uint32_t>(c);
  Rng rng(key);
  for (std::uint32_t p = 0; p < n_pairs; ++p) {
    std::vector<std::uint32_t> order(columns_.size());
    std::iota(order.begin(), order.end(), 0U);
    for (std::size_t left = order.size(); left > 1; --left) std::swap(order[left - 1], order[rng.below(static_cast<std::uint32_t>(left))]);
    permutations_.push_back(along(order, places));
    std::reverse(order.begin(), order.end());
    permutations_.push_back(along(std::move(order), places));
  }
}

SampledShap::Permutation SampledShap::along(std::vector<std::uint32_t> columns, std::vector<std::uint32_t> const& places_of_columns) const {
  Tree const& tree = game_.tree;
  std::vector<std::uint32_t> ranks(columns.size());
  for (std::size_t r = 0; r < columns.size(); ++r) ranks[columns[r]] = static_cast<std::uint32_t>(r);
  constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();
  Permutation found{std::move(columns), std::vector<std::uint32_t>(tree.nodes.size(), never), {}};
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    if (tree.nodes[i].is_leaf()) continue;
    found.decided[i] = 0;
    for (std::uint32_t column : game_.columns(i)) found.decided[i] = std::max(found.decided[i], ranks[places_of_columns[column]] + 1);
  }
  found.earliest = found.decided;
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    Node const& node = tree.nodes[i];
    for (std::uint32_t c = 0; c < tree.n_children(node); ++c)
      found.earliest[i] = std::min(found.earliest[i], found.earliest[node.first_child + c]);
  }
  return found;
}

void SampledShap::find_means() {
  Tree const& tree = game_.tree;
  std::size_t const n_outputs = game_.n_outputs;
  means_.assign(tree.nodes.size() * n_outputs, 0.0);
  for (std::size_t i = tree.nodes.size(); i-- > 0;) {
    Node const& node = tree.nodes[i];
    for (std::size_t k = 0; k < n_outputs; ++k) {
      double& mean = means_[i * n_outputs + k];
      if (node.is_leaf()) mean = game_.leaf_value(tree.row_of(node))[k];
      for (std::uint32_t c = 0; c < tree.n_children(node); ++c) {
        std::size_t const child = node.first_child + c;
        mean += game_.shares[child] * means_[child * n_outputs + k];
      }
    }
  }
}

SampledShap::Room SampledShap::room() const {
  Room room;
  std::size_t const cells = columns_.size() * game_.n_outputs;
  room.places.resize(game_.tree.nodes.size());
  room.pair.resize(cells);
  room.mean.resize(cells);
  room.deviance.resize(cells);
  return room;
}

void SampledShap::add(Room& room, double scale, double* values, double* variances) const {
  std::fill(room.mean.begin(), room.mean.end(), 0.0);
  std::fill(room.deviance.begin(), room.deviance.end(), 0.0);
  double n = 0.0;
  for (std::size_t p = 0; p < permutations_.size(); p += 2) {
    std::fill(room.pair.begin(), room.pair.end(), 0.0);
    add_along(permutations_[p], room);
    add_along(permutations_[p + 1], room);
    n += 1.0;
    for (std::size_t i = 0; i < room.pair.size(); ++i) {
      double const off = room.pair[i] - room.mean[i];
      room.mean[i] += off / n;
      room.deviance[i] += off * (room.pair[i] - room.mean[i]);
    }
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    for (std::size_t k = 0; k < game_.n_outputs; ++k) {
      std::size_t const from = c * game_.n_outputs + k;
      std::size_t const to = columns_[c] * game_.n_outputs + k;
      values[to] += scale * room.mean[from];
      variances[to] += scale * scale * room.deviance[from] / (n * (n - 1.0));
    }
  }
}

void SampledShap::add_along(Permutation const& permutation, Room& room) const {
  list_reached(permutation, room);
  for (std::size_t r = room.reached.size(); r-- > 0;) find_values(permutation, room.reached[r], room);
  std::size_t const n_values = columns_.size() + 1;
  for (std::size_t k = 0; k < game_.n_outputs; ++k) {
    double const* const value = room.values.data() + k * n_values;
    for (std::size_t n = 1; n < n_values; ++n)
      room.pair[permutation.columns[n - 1] * game_.n_outputs + k] += 0.5 * (value[n] - value[n - 1]);
  }
}

void SampledShap::list_reached(Permutation const& permutation, Room& room) const {
  Tree const& tree = game_.tree;
  std::size_t end = 0;
  room.reached.clear();
  auto const reach = [&](std::uint32_t node, std::uint32_t n_values) {
    room.reached.push_back({node, n_values, whole, end});
    end += n_values * game_.n_outputs;
  };
  reach(0, static_cast<std::uint32_t>(columns_.size()) + 1);
  for (std::size_t r = 0; r < room.reached.size(); ++r) {
    auto const [at, n_values, unused, begin] = room.reached[r];
    if (permutation.earliest[at] >= n_values) continue;
    room.reached[r].first_child = static_cast<std::uint32_t>(room.reached.size());
    Node const& node = tree.nodes[at];
    std::uint32_t const elsewhere = std::min(n_values, permutation.decided[at]);
    for (std::uint32_t c = 0; c < tree.n_children(node); ++c) reach(node.first_child + c, c == room.places[at] ? n_values : elsewhere);
  }
  if (room.values.size() < end) room.values.resize(end);
}

void SampledShap::find_values(Permutation const& permutation, Reached const& at, Room& room) const {
  Tree const& tree = game_.tree;
  Node const& node = tree.nodes[at.node];
  for (std::size_t k = 0; k < game_.n_outputs; ++k) {
    double* const value = room.values.data() + at.values + k * at.n_values;
    if (at.first_child == whole) {
      std::fill_n(value, at.n_values, means_[at.node * game_.n_outputs + k]);
      continue;
    }
    std::uint32_t const decided = std::min(at.n_values, permutation.decided[at.node]);
    std::fill_n(value, decided, 0.0);
    for (std::uint32_t c = 0; c < tree.n_children(node); ++c) {
      Reached const& child = room.reached[at.first_child + c];
      double const share = game_.shares[child.node];
      double const* const of_child = room.values.data() + child.values + k * child.n_values;
      for (std::uint32_t n = 0; n < decided; ++n) value[n] += share * of_child[n];
      if (c == room.places[at.node]) std::copy(of_child + decided, of_child + at.n_values, value + decided);
    }
    if (room.places[at.node] == stays) std::fill(value + decided, value + at.n_values, game_.leaf_value(tree.row_of(node))[k]);
  }
}

}  // namespace rarewood
