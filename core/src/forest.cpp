#include "rarewood/forest.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "parallel.hpp"
#include "rarewood/predict.hpp"

namespace rarewood {

namespace {

// Two streams per tree: the rows it sees can be drawn again without growing it.
Rng sampling_stream(std::uint64_t seed, std::size_t tree) { return {seed, 2 * tree}; }
Rng growth_stream(std::uint64_t seed, std::size_t tree) { return {seed, 2 * tree + 1}; }

// Rows of positive weight, by class, as positions.
struct Urn {
  std::vector<Position> positions;
  std::vector<std::size_t> class_begin;

  Urn(Dataset const& data, std::span<double const> weights) {
    for (std::size_t j = 0; j < data.n_classes(); ++j) {
      class_begin.push_back(positions.size());
      for (std::size_t p = data.class_begin(j); p < data.class_end(j); ++p) {
        if (weights.empty() || weights[data.original_row(static_cast<Position>(p))] > 0.0) positions.push_back(static_cast<Position>(p));
      }
    }
    class_begin.push_back(positions.size());
  }

  std::size_t smallest_class() const {
    std::size_t smallest = positions.size();
    for (std::size_t j = 0; j + 1 < class_begin.size(); ++j) {
      std::size_t const size = class_begin[j + 1] - class_begin[j];
      if (size > 0) smallest = std::min(smallest, size);
    }
    return smallest;
  }

  // Draws n times with replacement from positions[begin, end).
  void draw(std::size_t begin, std::size_t end, std::size_t n, Rng& rng, std::vector<std::uint32_t>& times) const {
    for (std::size_t i = 0; i < n && begin < end; ++i) ++times[positions[begin + rng.below(static_cast<std::uint32_t>(end - begin))]];
  }
};

// How often each position is drawn.
std::vector<std::uint32_t> draw(Urn const& urn, std::size_t n_rows, Sampling sampling, Rng rng) {
  std::vector<std::uint32_t> times(n_rows, 0);
  if (sampling == Sampling::all) {
    for (Position p : urn.positions) times[p] = 1;
    return times;
  }
  if (sampling == Sampling::bootstrap) {
    urn.draw(0, urn.positions.size(), urn.positions.size(), rng, times);
    return times;
  }
  std::size_t const smallest = urn.smallest_class();
  for (std::size_t j = 0; j + 1 < urn.class_begin.size(); ++j) {
    std::size_t const size = urn.class_begin[j + 1] - urn.class_begin[j];
    urn.draw(urn.class_begin[j], urn.class_begin[j + 1], sampling == Sampling::balanced ? smallest : size, rng, times);
  }
  return times;
}

Sample sample_of(Dataset const& data, std::span<double const> weights, std::vector<std::uint32_t> const& times) {
  Sample sample;
  for (std::size_t j = 0; j < data.n_classes(); ++j) {
    sample.class_begin.push_back(sample.positions.size());
    for (std::size_t p = data.class_begin(j); p < data.class_end(j); ++p) {
      if (times[p] == 0) continue;
      auto const position = static_cast<Position>(p);
      double const weight = weights.empty() ? 1.0 : weights[data.original_row(position)];
      if (weight != std::floor(weight)) sample.weights_are_cases = false;
      sample.positions.push_back(position);
      sample.weights.push_back(weight * times[p]);
    }
  }
  sample.class_begin.push_back(sample.positions.size());
  return sample;
}

void check_weights(Dataset const& data, std::span<double const> weights) {
  if (!weights.empty()) Sample::of(data, weights);  // throws when they are unusable
}

}  // namespace

Sampling sampling_named(std::string_view name) {
  if (name == "all") return Sampling::all;
  if (name == "bootstrap") return Sampling::bootstrap;
  if (name == "stratified") return Sampling::stratified;
  if (name == "balanced") return Sampling::balanced;
  throw std::invalid_argument("sampling must be 'all', 'bootstrap', 'stratified' or 'balanced', got '" + std::string(name) + "'");
}

std::vector<Tree> grow_forest(Dataset const& data, std::span<double const> weights, std::span<double const> class_weights,
                              ScorerOfTree const& scorer_of, ForestOptions const& options, ForestMonitor& monitor) {
  check_weights(data, weights);
  Urn const urn(data, weights);
  std::vector<Tree> trees(options.n_trees);
  parallel_for(options.n_trees, options.n_threads, [&](std::size_t i) {
    std::size_t const number = options.first_tree + i;
    Sample sample = options.sampling == Sampling::all
                        ? Sample::of(data, weights)
                        : sample_of(data, weights, draw(urn, data.n_rows(), options.sampling, sampling_stream(options.seed, number)));
    std::unique_ptr<Scorer> const scorer = scorer_of(number);
    trees[i] = grow_tree(data, std::move(sample), class_weights, *scorer, options.growth, growth_stream(options.seed, number), monitor);
    trees[i].nodes.shrink_to_fit();
    trees[i].category_pool.shrink_to_fit();
    trees[i].category_lists.shrink_to_fit();
    trees[i].hyperplanes.shrink_to_fit();
    trees[i].leaf_table.shrink_to_fit();
    monitor.tree_done();
  });
  return trees;
}

std::vector<std::uint32_t> times_drawn(Dataset const& data, std::span<double const> weights, Sampling sampling, std::uint64_t seed,
                                       std::size_t tree) {
  std::vector<std::uint32_t> const by_position = draw(Urn(data, weights), data.n_rows(), sampling, sampling_stream(seed, tree));
  std::vector<std::uint32_t> by_row(data.n_rows());
  for (std::size_t p = 0; p < by_position.size(); ++p) by_row[data.original_row(static_cast<Position>(p))] = by_position[p];
  return by_row;
}

OutOfBag out_of_bag(Dataset const& data, std::span<double const> weights, std::span<Tree const> trees, double smoothing,
                    ForestOptions const& options) {
  std::size_t const n_classes = data.n_classes();
  OutOfBag result{std::vector<double>(data.n_rows() * n_classes, 0.0), std::vector<std::uint32_t>(data.n_rows(), 0)};
  std::vector<double> probabilities(data.n_rows() * n_classes);
  for (std::size_t t = 0; t < trees.size(); ++t) {
    std::vector<std::uint32_t> const times = times_drawn(data, weights, options.sampling, options.seed, options.first_tree + t);
    predict_proba(trees.subspan(t, 1), data.input(), smoothing, probabilities, options.n_threads);
    for (std::size_t row = 0; row < data.n_rows(); ++row) {
      if (times[row] != 0) continue;
      ++result.n_trees[row];
      for (std::size_t j = 0; j < n_classes; ++j) result.sums[row * n_classes + j] += probabilities[row * n_classes + j];
    }
  }
  return result;
}

}  // namespace rarewood
