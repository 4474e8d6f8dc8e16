#include "sampled_shap.hpp"

#include <algorithm>
#include <numeric>

namespace rarewood {

SampledShap::SampledShap(TreeGame const& game, std::uint32_t n_pairs, Key key) : game_(game) {
  std::size_t const n_nodes = game.tree.nodes.size();
  for (std::size_t i = 0; i < n_nodes; ++i) columns_.insert(columns_.end(), game.columns(i).begin(), game.columns(i).end());
  std::sort(columns_.begin(), columns_.end());
  columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
  tested_begin_.push_back(0);
  for (std::size_t i = 0; i < n_nodes; ++i) {
    for (std::uint32_t column : game.columns(i))
      tested_.push_back(static_cast<std::uint32_t>(std::lower_bound(columns_.begin(), columns_.end(), column) - columns_.begin()));
    tested_begin_.push_back(tested_.size());
  }
  Rng rng(key);
  for (std::uint32_t p = 0; p < n_pairs; ++p) {
    std::vector<std::uint32_t> ranks(columns_.size());
    std::iota(ranks.begin(), ranks.end(), 0U);
    for (std::size_t left = ranks.size(); left > 1; --left) std::swap(ranks[left - 1], ranks[rng.below(static_cast<std::uint32_t>(left))]);
    permutations_.push_back(std::move(ranks));
  }
}

SampledShap::Room SampledShap::room() const {
  Room room;
  std::size_t const cells = columns_.size() * game_.n_outputs;
  room.places.resize(game_.tree.nodes.size());
  room.now.resize(game_.n_outputs);
  room.before.resize(game_.n_outputs);
  room.pair.resize(cells);
  room.mean.resize(cells);
  room.deviance.resize(cells);
  return room;
}

void SampledShap::add(Room& room, double scale, double* values, double* variances) const {
  std::fill(room.mean.begin(), room.mean.end(), 0.0);
  std::fill(room.deviance.begin(), room.deviance.end(), 0.0);
  double n = 0.0;
  for (std::vector<std::uint32_t> const& ranks : permutations_) {
    std::fill(room.pair.begin(), room.pair.end(), 0.0);
    add_along(ranks, false, room);
    add_along(ranks, true, room);
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

void SampledShap::add_along(std::vector<std::uint32_t> const& ranks, bool reversed, Room& room) const {
  std::uint32_t const n_columns = static_cast<std::uint32_t>(columns_.size());
  std::vector<std::uint32_t> in_order(n_columns);
  for (std::uint32_t c = 0; c < n_columns; ++c) in_order[reversed ? n_columns - 1 - ranks[c] : ranks[c]] = c;
  std::copy(game_.base.begin(), game_.base.end(), room.before.begin());
  for (std::uint32_t n_known = 1; n_known <= n_columns; ++n_known) {
    find_value(ranks, reversed, n_known, room);
    double* const gained = room.pair.data() + in_order[n_known - 1] * game_.n_outputs;
    for (std::size_t k = 0; k < game_.n_outputs; ++k) gained[k] += 0.5 * (room.now[k] - room.before[k]);
    std::swap(room.now, room.before);
  }
}

void SampledShap::find_value(std::vector<std::uint32_t> const& ranks, bool reversed, std::uint32_t n_known, Room& room) const {
  std::uint32_t const last = static_cast<std::uint32_t>(columns_.size()) - 1;
  auto const is_known = [&](std::uint32_t column) { return (reversed ? last - ranks[column] : ranks[column]) < n_known; };
  Tree const& tree = game_.tree;
  std::fill(room.now.begin(), room.now.end(), 0.0);
  room.stack.assign(1, {0U, 1.0});
  auto const end_in = [&](std::uint32_t leaf_row, double weight) {
    double const* const leaf = game_.leaf_value(leaf_row);
    for (std::size_t k = 0; k < room.now.size(); ++k) room.now[k] += weight * leaf[k];
  };
  while (!room.stack.empty()) {
    auto [at, weight] = room.stack.back();
    room.stack.pop_back();
    for (bool walking = true; walking;) {
      Node const& node = tree.nodes[at];
      if (node.is_leaf() || (room.places[at] == stays && is_known(tested_[tested_begin_[at]]))) {
        end_in(tree.row_of(node), weight);
        break;
      }
      bool decided = true;
      for (std::size_t i = tested_begin_[at]; i < tested_begin_[at + 1]; ++i) decided = decided && is_known(tested_[i]);
      if (decided) {
        at = node.first_child + room.places[at];
        continue;
      }
      for (std::uint32_t c = 0; c < tree.n_children(node); ++c) {
        double const share = game_.shares[node.first_child + c];
        if (share > 0.0) room.stack.emplace_back(node.first_child + c, weight * share);
      }
      walking = false;
    }
  }
}

}  // namespace rarewood
