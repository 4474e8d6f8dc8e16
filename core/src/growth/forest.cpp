#include "rarewood/forest.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/parallel.hpp"
#include "growth/growth.hpp"
#include "samples/draws.hpp"
#include "samples/tree_samples.hpp"
#include "samples/tree_streams.hpp"

namespace rarewood {

namespace {

// A criterion for trees that grow side by side: one scorer for each of them, used again by those that follow.
class Scorers {
 public:
  explicit Scorers(std::unique_ptr<Scorer> first) : first_(std::move(first)) {}

  template <class Use>
  auto with(Use use) {
    std::unique_ptr<Scorer> scorer = take();
    auto result = use(*scorer);
    std::lock_guard const lock(guard_);
    idle_.push_back(std::move(scorer));
    return result;
  }

 private:
  std::unique_ptr<Scorer> take() {
    std::lock_guard const lock(guard_);
    if (idle_.empty()) return first_->clone();
    std::unique_ptr<Scorer> scorer = std::move(idle_.back());
    idle_.pop_back();
    return scorer;
  }

  std::mutex guard_;
  std::unique_ptr<Scorer> first_;
  std::vector<std::unique_ptr<Scorer>> idle_;
};

// What the trees of one plan share. Made when the first of them is grown and dropped after the last, so that of many plans only
// those in hand take memory.
class Ground {
 public:
  // own_ranks: every tree makes ranks of the rows it sees; otherwise the table has them.
  Ground(Dataset const& table, ForestPlan const& plan, bool own_ranks)
      : table_(table), plan_(plan), own_ranks_(own_ranks), n_missing_(plan.n_trees) {}

  Tree grow(std::size_t tree, Monitor& monitor) {
    std::call_once(prepared_, [this] { prepare(); });
    Tree grown = scorers_of(tree).with([&](Scorer& scorer) {
      auto const grow_on = [&](Dataset const& data, Sample sample) {
        return grow_tree(data, std::move(sample), plan_.class_weights, scorer, plan_.growth, growth_key(plan_, tree), monitor);
      };
      Sample sample = samples_->sample(tree);
      if (!own_ranks_) return grow_on(samples_->data(), std::move(sample));
      Dataset const own = samples_->data().ranked(sample.positions, sample.class_begin);
      std::iota(sample.positions.begin(), sample.positions.end(), Position{0});
      return grow_on(own, std::move(sample));
    });
    if (--n_missing_ == 0) {
      samples_.reset();
      scorers_.clear();
    }
    return grown;
  }

 private:
  void prepare() {
    samples_.emplace(table_, plan_);
    for (MakeScorer const& make : plan_.criteria) scorers_.push_back(std::make_unique<Scorers>(make(samples_->data().n_classes())));
  }

  Scorers& scorers_of(std::size_t tree) const { return *scorers_[plan_.criterion_of(tree)]; }

  Dataset const& table_;
  ForestPlan const& plan_;
  bool own_ranks_;
  std::once_flag prepared_;
  std::optional<TreeSamples> samples_;
  std::vector<std::unique_ptr<Scorers>> scorers_;  // per criterion
  std::atomic<std::size_t> n_missing_;             // trees
};

// Ranks of the whole table are the better part of the work where no tree sees more than a quarter of it, unless they are there, or so many
// trees come that together they would sort far more rows. A table that leaves the caches is sorted much more slowly than the rows of a tree.
bool makes_own_ranks(Dataset const& data, ForestPlan const& plan) {
  constexpr std::size_t large_table = 1U << 17;
  std::size_t const seen = most_rows_drawn(plan, data.class_begins());
  std::size_t const most_sorted = (data.n_rows() < large_table ? 3 : 12) * data.n_rows();
  return plan.growth.shortcuts && plan.class_map.empty() && plan.growth.splitter == Splitter::best && 4 * seen <= data.n_rows() &&
         plan.n_trees * seen <= most_sorted && !data.has(forms_read_by(Splitter::best));
}

}  // namespace

std::size_t Forest::bytes() const {
  return std::accumulate(trees.begin(), trees.end(), sizeof *this, [](std::size_t sum, Tree const& tree) { return sum + tree.bytes(); });
}

std::vector<double> Forest::importances() const {
  std::vector<double> mean(n_features(), 0.0);
  for (Tree const& tree : trees) {
    double const total = std::accumulate(tree.importances.begin(), tree.importances.end(), 0.0);
    for (std::size_t f = 0; total > 0.0 && f < mean.size(); ++f) mean[f] += tree.importances[f] / total;
  }
  double const total = std::accumulate(mean.begin(), mean.end(), 0.0);
  for (double& share : mean) share = total > 0.0 ? share / total : 0.0;
  return mean;
}

Forest joined(Forest const& first, Forest const& second) {
  if (first.n_features() != second.n_features() || first.n_classes() != second.n_classes())
    throw std::invalid_argument("forests of different tables cannot be joined");
  Forest both = first;
  both.trees.insert(both.trees.end(), second.trees.begin(), second.trees.end());
  return both;
}

std::vector<Forest> grow_forests(Dataset const& data, std::span<ForestPlan const* const> plans, unsigned n_threads,
                                 ForestMonitor& monitor) {
  std::vector<Forest> forests(plans.size());
  std::vector<std::unique_ptr<Ground>> grounds;
  std::vector<std::pair<std::size_t, std::size_t>> tasks;  // plan, tree
  for (ForestPlan const* plan : plans) plan->check();
  // Ranks that one plan needs serve all.
  bool const own_ranks = std::all_of(plans.begin(), plans.end(), [&](ForestPlan const* plan) {
    return plan->growth.splitter != Splitter::best || makes_own_ranks(data, *plan);
  });
  Forms forms;
  for (std::size_t p = 0; p < plans.size(); ++p) {
    bool const by_ranks = plans[p]->growth.splitter == Splitter::best;
    if (!(by_ranks && own_ranks)) forms = forms | forms_read_by(plans[p]->growth.splitter);
    forests[p].trees.resize(plans[p]->n_trees);
    grounds.push_back(std::make_unique<Ground>(data, *plans[p], by_ranks && own_ranks));
    for (std::size_t i = 0; i < plans[p]->n_trees; ++i) tasks.emplace_back(p, i);
  }
  data.prepare(forms, n_threads, monitor);
  parallel_for(tasks.size(), n_threads, monitor, [&](std::size_t task, Monitor& shared) {
    auto const [p, i] = tasks[task];
    Tree& tree = forests[p].trees[i];
    tree = grounds[p]->grow(i, shared);
    tree.shrink_to_fit();
    monitor.tree_done();
  });
  return forests;
}

std::vector<std::uint32_t> times_drawn(Dataset const& data, ForestPlan const& plan, std::size_t tree) {
  plan.check();
  if (tree >= plan.n_trees)
    throw std::invalid_argument("the plan has " + std::to_string(plan.n_trees) + " trees, there is no tree " + std::to_string(tree));
  return TreeSamples(data, plan).times_drawn(tree);
}

}  // namespace rarewood
