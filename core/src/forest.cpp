#include "rarewood/forest.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>

#include "parallel.hpp"
#include "rarewood/predict.hpp"

namespace rarewood {

// Two streams per tree: the rows it sees can be drawn again without growing it.
Key growth_key(std::uint64_t seed, std::size_t tree) { return {seed, 2 * tree + 1}; }

namespace {

Rng sampling_stream(std::uint64_t seed, std::size_t tree) { return {seed, 2 * tree}; }

// Rows of positive weight, by class, as positions.
class Urn {
 public:
  Urn(Dataset const& data, std::span<double const> weights) {
    for (std::size_t j = 0; j < data.n_classes(); ++j) {
      class_begin_.push_back(positions_.size());
      for (std::size_t i = data.class_begin(j); i < data.class_end(j); ++i) {
        Position const position = data.position(i);
        if (weights.empty() || weights[data.original_row(position)] > 0.0) positions_.push_back(position);
      }
    }
    class_begin_.push_back(positions_.size());
  }

  std::size_t size() const { return positions_.size(); }
  std::size_t n_classes() const { return class_begin_.size() - 1; }
  std::size_t class_begin(std::size_t cls) const { return class_begin_[cls]; }
  std::size_t class_size(std::size_t cls) const { return class_begin_[cls + 1] - class_begin_[cls]; }
  Position operator[](std::size_t i) const { return positions_[i]; }

  // How often each row of the urn is drawn.
  std::vector<std::uint32_t> draw(ForestOptions const& options, std::size_t tree) const {
    Rng rng = sampling_stream(options.seed, tree);
    if (options.sampling == Sampling::all) return std::vector<std::uint32_t>(size(), 1);
    std::vector<std::uint32_t> times(size(), 0);
    if (options.sampling == Sampling::bootstrap) {
      draw_with_replacement(times, size(), rng);
      return times;
    }
    std::size_t const smallest = smallest_class();
    for (std::size_t j = 0; j < n_classes(); ++j) {
      std::span<std::uint32_t> const rows(times.data() + class_begin(j), class_size(j));
      switch (options.sampling) {
        case Sampling::subsample: draw_without_replacement(rows, options.class_sizes[j], rng); break;
        case Sampling::balanced: draw_with_replacement(rows, smallest, rng); break;
        default: draw_with_replacement(rows, rows.size(), rng);
      }
    }
    return times;
  }

  void check_sizes(ForestOptions const& options) const {
    if (options.sampling != Sampling::subsample) return;
    if (options.class_sizes.size() != n_classes())
      throw std::invalid_argument("sampling 'subsample' needs one of class_sizes per class: there are " + std::to_string(n_classes()) +
                                  " classes and " + std::to_string(options.class_sizes.size()) + " sizes");
    for (std::size_t j = 0; j < n_classes(); ++j) {
      if (options.class_sizes[j] > class_size(j))
        throw std::invalid_argument("class_sizes asks for " + std::to_string(options.class_sizes[j]) + " rows of class " +
                                    std::to_string(j) + ", which has " + std::to_string(class_size(j)) + " of positive weight");
    }
    if (std::all_of(options.class_sizes.begin(), options.class_sizes.end(), [](std::size_t size) { return size == 0; }))
      throw std::invalid_argument("class_sizes asks for no row of any class");
  }

 private:
  std::size_t smallest_class() const {
    std::size_t smallest = size();
    for (std::size_t j = 0; j < n_classes(); ++j) {
      if (class_size(j) > 0) smallest = std::min(smallest, class_size(j));
    }
    return smallest;
  }

  static void draw_with_replacement(std::span<std::uint32_t> times, std::size_t n, Rng& rng) {
    for (std::size_t i = 0; i < n && !times.empty(); ++i) ++times[rng.below(static_cast<std::uint32_t>(times.size()))];
  }

  // Every set of n rows with the same chance (Floyd's algorithm: Bentley and Floyd, A sample of brilliance, CACM 30, 1987).
  static void draw_without_replacement(std::span<std::uint32_t> times, std::size_t n, Rng& rng) {
    for (std::size_t last = times.size() - n; last < times.size(); ++last) {
      std::size_t const drawn = rng.below(static_cast<std::uint32_t>(last + 1));
      times[times[drawn] == 0 ? drawn : last] = 1;
    }
  }

  std::vector<Position> positions_;
  std::vector<std::size_t> class_begin_;
};

// What the trees of one problem share. Made when the first of them is grown and dropped after the last, so that of many problems only
// those in hand take memory.
class Ground {
 public:
  Ground(Dataset const& table, Problem const& problem) : table_(table), problem_(problem), n_missing_(problem.options.n_trees) {}

  Dataset const& data() const { return problem_.group_of.empty() ? table_ : *regrouped_; }

  Sample sample(std::size_t tree) {
    std::call_once(prepared_, [this] { prepare(); });
    if (problem_.options.sampling == Sampling::all) return Sample::of(data(), problem_.weights);
    std::vector<std::uint32_t> const times = urn_->draw(problem_.options, tree);
    Sample sample;
    for (std::size_t j = 0; j < urn_->n_classes(); ++j) {
      sample.class_begin.push_back(sample.positions.size());
      for (std::size_t i = urn_->class_begin(j); i < urn_->class_begin(j) + urn_->class_size(j); ++i) {
        if (times[i] == 0) continue;
        Position const position = (*urn_)[i];
        sample.add(position, problem_.weights.empty() ? 1.0 : problem_.weights[data().original_row(position)], times[i]);
      }
    }
    sample.class_begin.push_back(sample.positions.size());
    sample.forget_unit_weights();
    return sample;
  }

  void tree_done() {
    if (--n_missing_ > 0) return;
    regrouped_.reset();
    urn_.reset();
  }

 private:
  void prepare() {
    if (!problem_.group_of.empty()) regrouped_ = table_.regrouped(problem_.group_of);
    if (problem_.options.sampling == Sampling::all) return;
    if (!problem_.weights.empty()) Sample::of(data(), problem_.weights);  // throws when they are unusable
    urn_.emplace(data(), problem_.weights);
    urn_->check_sizes(problem_.options);
  }

  Dataset const& table_;
  Problem const& problem_;
  std::once_flag prepared_;
  std::optional<Dataset> regrouped_;
  std::optional<Urn> urn_;
  std::atomic<std::size_t> n_missing_;  // trees
};

}  // namespace

Sampling sampling_named(std::string_view name) {
  if (name == "all") return Sampling::all;
  if (name == "bootstrap") return Sampling::bootstrap;
  if (name == "stratified") return Sampling::stratified;
  if (name == "balanced") return Sampling::balanced;
  if (name == "subsample") return Sampling::subsample;
  throw std::invalid_argument("sampling must be 'all', 'bootstrap', 'stratified', 'balanced' or 'subsample', got '" + std::string(name) +
                              "'");
}

std::vector<std::vector<Tree>> grow_forests(Dataset const& data, std::span<Problem const> problems, unsigned n_threads,
                                            ForestMonitor& monitor) {
  std::vector<std::vector<Tree>> forests(problems.size());
  std::vector<std::unique_ptr<Ground>> grounds;
  std::vector<std::pair<std::size_t, std::size_t>> tasks;  // problem, tree
  for (std::size_t p = 0; p < problems.size(); ++p) {
    forests[p].resize(problems[p].options.n_trees);
    grounds.push_back(std::make_unique<Ground>(data, problems[p]));
    for (std::size_t i = 0; i < forests[p].size(); ++i) tasks.emplace_back(p, i);
  }
  parallel_for(tasks.size(), n_threads, [&](std::size_t task) {
    auto const [p, i] = tasks[task];
    Problem const& problem = problems[p];
    std::size_t const number = problem.options.first_tree + i;
    Sample sample = grounds[p]->sample(number);
    std::unique_ptr<Scorer> const scorer = problem.scorer_of(number);
    forests[p][i] = grow_tree(grounds[p]->data(), std::move(sample), problem.class_weights, *scorer, problem.options.growth,
                              growth_key(problem.options.seed, number), monitor);
    forests[p][i].shrink_to_fit();
    grounds[p]->tree_done();
    monitor.tree_done();
  });
  return forests;
}

std::vector<std::uint32_t> times_drawn(Dataset const& data, std::span<double const> weights, ForestOptions const& options,
                                       std::size_t tree) {
  Urn const urn(data, weights);
  urn.check_sizes(options);
  std::vector<std::uint32_t> const times = urn.draw(options, tree);
  std::vector<std::uint32_t> by_row(data.n_rows(), 0);
  for (std::size_t i = 0; i < times.size(); ++i) by_row[data.original_row(urn[i])] = times[i];
  return by_row;
}

OutOfBag out_of_bag(Dataset const& data, std::span<double const> weights, std::span<Tree const> trees, double smoothing,
                    ForestOptions const& options, unsigned n_threads) {
  std::size_t const n_classes = data.n_classes();
  OutOfBag result{std::vector<double>(data.n_rows() * n_classes, 0.0), std::vector<std::uint32_t>(data.n_rows(), 0)};
  std::vector<double> probabilities(data.n_rows() * n_classes);
  for (std::size_t t = 0; t < trees.size(); ++t) {
    std::vector<std::uint32_t> const times = times_drawn(data, weights, options, options.first_tree + t);
    predict_proba(trees.subspan(t, 1), data.input(), smoothing, probabilities, n_threads);
    for (std::size_t row = 0; row < data.n_rows(); ++row) {
      if (times[row] != 0) continue;
      ++result.n_trees[row];
      for (std::size_t j = 0; j < n_classes; ++j) result.sums[row * n_classes + j] += probabilities[row * n_classes + j];
    }
  }
  return result;
}

}  // namespace rarewood
