#include "rarewood/grow_gathered.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "base/archive.hpp"
#include "base/parallel.hpp"
#include "growth/growth.hpp"
#include "parts/part_messages.hpp"

namespace rarewood {

namespace {

// The rows of one node that one part holds.
struct Block {
  std::vector<std::uint64_t> sizes;  // per class
  std::vector<double> weights;       // empty: 1
  std::vector<std::vector<Code>> codes;
  std::vector<std::vector<float>> narrow;
  std::vector<std::vector<double>> wide;

  std::size_t n_rows() const { return std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}); }
};

Block read_block(TableShape const& shape, ArchiveReader& from) {
  std::size_t const n_features = shape.n_categories.size();
  Block block;
  block.sizes = from.get_list<std::uint64_t>();
  block.weights = from.get_list<double>();
  block.codes.resize(n_features);
  block.narrow.resize(n_features);
  block.wide.resize(n_features);
  bool fits = block.sizes.size() == shape.n_classes && (block.weights.empty() || block.weights.size() == block.n_rows());
  for (std::size_t f = 0; f < n_features; ++f) {
    if (shape.n_categories[f] > 0) {
      block.codes[f] = from.get_list<Code>();
    } else if (shape.wide[f] != 0) {
      block.wide[f] = from.get_list<double>();
    } else {
      block.narrow[f] = from.get_list<float>();
    }
    fits = fits && block.codes[f].size() + block.wide[f].size() + block.narrow[f].size() == block.n_rows();
  }
  if (!fits) throw std::invalid_argument("gathered rows do not fit the table");
  return block;
}

// The rows of all parts as a table of their own, and the sample that is all of it.
class GatheredTable {
 public:
  GatheredTable(TableShape const& shape, std::vector<Block> const& blocks) : data_(shape.table(labels_of(shape, blocks))) {
    for (std::size_t f = 0; f < data_.n_features(); ++f) {
      std::size_t row = 0;
      for_each_run(blocks, [&](Block const& block, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) data_.set(f, static_cast<Position>(row++), cell(block, f, i));
      });
    }
    bool const weighted = std::any_of(blocks.begin(), blocks.end(), [](Block const& block) { return !block.weights.empty(); });
    for (std::size_t j = 0; j <= data_.n_classes(); ++j) sample_.class_begin.push_back(j == 0 ? 0 : data_.class_end(j - 1));
    sample_.positions.resize(data_.n_rows());
    std::iota(sample_.positions.begin(), sample_.positions.end(), Position{0});
    if (!weighted) return;
    for_each_run(blocks, [&](Block const& block, std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) sample_.weights.push_back(block.weights.empty() ? 1.0 : block.weights[i]);
    });
  }

  Dataset const& data() const { return data_; }
  Sample take_sample() { return std::move(sample_); }

 private:
  // The rows of each class, part by part.
  template <class Visit>
  static void for_each_run(std::vector<Block> const& blocks, Visit visit) {
    std::vector<std::size_t> begin(blocks.size(), 0);
    for (std::size_t j = 0; !blocks.empty() && j < blocks.front().sizes.size(); ++j) {
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        visit(blocks[b], begin[b], begin[b] + blocks[b].sizes[j]);
        begin[b] += blocks[b].sizes[j];
      }
    }
  }

  static std::vector<std::int32_t> labels_of(TableShape const& shape, std::vector<Block> const& blocks) {
    std::vector<std::int32_t> labels;
    for (std::size_t j = 0; j < shape.n_classes; ++j) {
      for (Block const& block : blocks) labels.insert(labels.end(), block.sizes[j], static_cast<std::int32_t>(j));
    }
    return labels;
  }

  double cell(Block const& block, std::size_t f, std::size_t i) const {
    if (data_.is_nominal(f)) return block.codes[f][i] == missing_code ? std::numeric_limits<double>::quiet_NaN() : block.codes[f][i];
    return block.wide[f].empty() ? static_cast<double>(block.narrow[f][i]) : block.wide[f][i];
  }

  Dataset data_;
  Sample sample_;
};

}  // namespace

std::vector<Subtree> grow_gathered(TableShape const& shape, ForestPlan const& plan, std::string_view tasks_message,
                                   std::span<std::string_view const> messages, unsigned n_threads, Monitor& monitor) {
  std::vector<SubtreeTask> const tasks = read_tasks(tasks_message);
  std::vector<std::vector<Block>> blocks(tasks.size());  // task, part
  for (std::string_view message : messages) {
    ArchiveReader from(message);
    for (std::size_t i = 0; i < tasks.size(); ++i) blocks[i].push_back(read_block(shape, from));
  }
  std::vector<std::unique_ptr<Scorer>> scorers;
  for (MakeScorer const& make : plan.criteria) scorers.push_back(make(shape.n_classes));
  std::vector<Subtree> subtrees(tasks.size());
  parallel_for(tasks.size(), n_threads, monitor, [&](std::size_t i, Monitor& shared) {
    SubtreeTask const& task = tasks[i];
    if (task.tree >= plan.n_trees) throw std::invalid_argument("the plan has no such tree");
    GatheredTable table(shape, blocks[i]);
    blocks[i] = {};
    table.data().prepare(forms_read_by(plan.growth.splitter), 1, shared);
    std::unique_ptr<Scorer> const scorer = scorers[plan.criterion_of(task.tree)]->clone();
    GrowthStart start{Key::numbered(task.key), task.depth, ColumnSet(table.data().n_features(), task.features), task.bounds};
    subtrees[i] = grow_subtree(table.data(), table.take_sample(), plan.class_weights, *scorer, plan.growth, std::move(start), shared);
  });
  return subtrees;
}

}  // namespace rarewood
