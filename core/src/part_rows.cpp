#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "draws.hpp"
#include "gathered_block.hpp"
#include "parallel.hpp"
#include "part_messages.hpp"
#include "rarewood/category_counts.hpp"
#include "rarewood/parts.hpp"
#include "rarewood/splitters/cut_rows.hpp"
#include "rarewood/splitters/line_rows.hpp"
#include "row_set.hpp"
#include "tree_rows.hpp"

namespace rarewood {

namespace {

// Keeps of all draws those of one part: its rows of class j stand from begin[j] to before end[j].
struct PartTally {
  std::vector<std::size_t> begin, end;
  std::vector<std::vector<std::uint32_t>> times;  // by class
  RowSet drawn;                                   // of the whole table, where draws depend on it

  bool has(std::size_t row) const { return drawn.has(row); }
  void add(std::size_t row) {
    if (remembers) drawn.add(row);
    for (std::size_t j = 0; j < begin.size(); ++j) {
      if (row >= begin[j] && row < end[j]) ++times[j][row - begin[j]];
    }
  }
  bool remembers = false;
};

// The rows of one tree: which are in which node.
struct PartTree {
  struct Place {
    std::size_t begin = 0;
    std::vector<std::size_t> class_begin;
  };

  Sample sample;
  std::unordered_map<std::uint32_t, Place> nodes;  // those that were not split
  std::size_t n_splits = 0;                        // applied so far
};

}  // namespace

class PartRows::Impl {
 public:
  Impl(ForestPlan plan, std::vector<std::size_t> class_sizes, std::vector<std::size_t> class_before, std::vector<double> weights)
      : plan_(std::move(plan)), class_sizes_(std::move(class_sizes)), class_before_(std::move(class_before)), weights_(std::move(weights)) {
    plan_.check();
    if (class_sizes_.size() != class_before_.size())
      throw std::invalid_argument("class_sizes and class_before must have one entry per class");
  }

  std::vector<Answer> answer(Dataset const& data, SplitLog const& log, std::vector<Question> const& questions, unsigned n_threads) {
    follow(data, log, n_threads);
    std::map<std::uint32_t, std::vector<std::size_t>> by_tree;
    for (std::size_t i = 0; i < questions.size(); ++i) by_tree[questions[i].tree].push_back(i);
    std::vector<std::pair<std::uint32_t, std::vector<std::size_t>>> const work(by_tree.begin(), by_tree.end());
    std::vector<Answer> answers(questions.size());
    parallel_for(work.size(), n_threads, [&](std::size_t w) {
      Answering answering(data, tree_of(work[w].first));
      for (std::size_t i : work[w].second) answers[i] = answering.answer(questions[i]);
    });
    return answers;
  }

  std::string gather(Dataset const& data, SplitLog const& log, std::vector<SubtreeTask> const& tasks) {
    follow(data, log, 1);
    ArchiveWriter block;
    for (SubtreeTask const& task : tasks) {
      PartTree& tree = tree_of(task.tree);
      write_rows(data, tree.sample, place_of(tree, task.node).begin, place_of(tree, task.node).class_begin, block);
    }
    return block.take();
  }

 private:
  // Answers for the nodes of one tree.
  class Answering {
   public:
    Answering(Dataset const& data, PartTree& tree)
        : data_(data), tree_(tree), rows_(data, tree.sample, {}, Forms{.ranks = false, .values = true}), categories_(data), lines_(data) {}

    Answer answer(Question const& question) {
      PartTree::Place const& place = place_of(tree_, question.node);
      NodeRows const& node = rows_.enter(RowSpan{place.begin, nullptr}, place.class_begin);
      if (question.stage == Stage::totals) return Totals{{node.totals.begin(), node.totals.end()}};
      std::uint32_t const feature = question.feature;
      if (question.feature >= data_.n_features() || question.other >= data_.n_features())
        throw std::invalid_argument("a question is about a column that the part does not have");
      if (question.is_pair()) return pair(node, question);
      if (data_.is_nominal(feature)) {
        CategoryTable table;
        categories_.count(node, feature, table);
        return table;
      }
      if (data_.is_wide(feature)) return numbers<double>(node, question, data_.wide(feature), question.wide, wide_);
      return numbers<float>(node, question, data_.narrow(feature), question.narrow, narrow_);
    }

   private:
    template <class T>
    Answer numbers(NodeRows const& node, Question const& question, std::span<T const> column, std::vector<T> const& cuts,
                   CutRows<T>& rows) {
      Range<T> const& range = rows.ask(node, column, data_.has_missing(question.feature));
      if (question.stage == Stage::ranges) return range;
      LeftCounts counts;
      rows.count(node, cuts, counts);
      return counts;
    }

    Answer pair(NodeRows const& node, Question const& question) {
      Box const& box = lines_.ask(node, question.feature, question.other);
      if (question.stage == Stage::ranges) return box;
      LineCounts counts;
      lines_.make_room(question.lines.size(), counts);
      std::vector<std::size_t> all(question.lines.size());
      std::iota(all.begin(), all.end(), std::size_t{0});
      lines_.count(node, question.lines, all, counts);
      return counts;
    }

    Dataset const& data_;
    PartTree& tree_;
    TreeRows rows_;
    CategoryCounts categories_;
    CutRows<float> narrow_;
    CutRows<double> wide_;
    LineRows lines_;
  };

  static PartTree::Place const& place_of(PartTree const& tree, std::uint32_t node) {
    auto const found = tree.nodes.find(node);
    if (found == tree.nodes.end()) throw std::invalid_argument("a question is about a node that the part does not have");
    return found->second;
  }

  PartTree& tree_of(std::uint32_t tree) {
    auto const found = trees_.find(tree);
    if (found == trees_.end()) throw std::invalid_argument("a question is about a tree that does not grow");
    return found->second;
  }

  // Brings the row lists up to date, from the roots where need be; those of trees that have grown to the end are dropped.
  void follow(Dataset const& data, SplitLog const& log, unsigned n_threads) {
    if (data.n_classes() != class_sizes_.size()) throw std::invalid_argument("the part has other classes than the whole");
    std::size_t const last = log.first_tree + log.of_tree.size();
    std::erase_if(trees_, [&](auto const& item) { return item.first < log.first_tree || item.first >= last; });
    for (std::size_t t = log.first_tree; t < last; ++t) trees_.try_emplace(static_cast<std::uint32_t>(t));
    parallel_for(log.of_tree.size(), n_threads, [&](std::size_t t) {
      auto const number = static_cast<std::uint32_t>(log.first_tree + t);
      PartTree& tree = trees_.at(number);
      if (tree.nodes.empty() || tree.n_splits > log.of_tree[t].size()) plant(data, number, tree);
      TreeRows rows(data, tree.sample, {}, Forms{.ranks = false, .values = true});
      for (; tree.n_splits < log.of_tree[t].size(); ++tree.n_splits) move(rows, tree, log.of_tree[t][tree.n_splits]);
    });
  }

  void plant(Dataset const& data, std::uint32_t number, PartTree& tree) const {
    tree.sample = sample(data, number);
    tree.nodes.clear();
    tree.nodes[0] = {0, tree.sample.class_begin};
    tree.n_splits = 0;
  }

  static void move(TreeRows& rows, PartTree& tree, MovedNode const& moved) {
    PartTree::Place const place = place_of(tree, moved.node);
    rows.enter(RowSpan{place.begin, nullptr}, place.class_begin);
    std::visit([&](auto const& split) { split.divide(rows); }, moved.split);
    tree.nodes.erase(moved.node);
    std::size_t begin = place.begin;
    for (std::size_t c = 0; c < rows.children().size(); ++c) {
      auto const class_begin = rows.children().class_begin(c);
      tree.nodes[moved.first_child + static_cast<std::uint32_t>(c)] = {begin, {class_begin.begin(), class_begin.end()}};
      begin += class_begin.back();
    }
  }

  Sample sample(Dataset const& data, std::size_t tree) const {
    if (!weights_.empty() && weights_.size() != data.n_rows()) throw std::invalid_argument("the part has other rows than its weights");
    bool const draws = plan_.sampling != Sampling::all;
    PartTally tally;
    if (draws) tally = draw(data, tree);
    Sample sample;
    for (std::size_t j = 0; j < data.n_classes(); ++j) {
      sample.class_begin.push_back(sample.positions.size());
      std::size_t place = 0;  // among rows of positive weight
      for (std::size_t i = data.class_begin(j); i < data.class_end(j); ++i) {
        Position const position = data.position(i);
        double const weight = weights_.empty() ? 1.0 : weights_[data.original_row(position)];
        if (weight == 0.0) continue;
        std::uint32_t const times = draws ? tally.times[j][place++] : 1;
        if (times > 0) sample.add(position, weight, times);
      }
    }
    sample.class_begin.push_back(sample.positions.size());
    sample.forget_unit_weights();
    return sample;
  }

  PartTally draw(Dataset const& data, std::size_t tree) const {
    PartTally tally;
    std::vector<std::size_t> class_begin{0};
    for (std::size_t size : class_sizes_) class_begin.push_back(class_begin.back() + size);
    for (std::size_t j = 0; j < class_sizes_.size(); ++j) {
      std::size_t here = data.class_end(j) - data.class_begin(j);
      for (std::size_t i = data.class_begin(j); i < data.class_end(j) && !weights_.empty(); ++i)
        here -= weights_[data.original_row(data.position(i))] == 0.0 ? 1 : 0;
      tally.begin.push_back(class_begin[j] + class_before_[j]);
      tally.end.push_back(tally.begin[j] + here);
      tally.times.emplace_back(here, 0);
      if (tally.end[j] > class_begin[j + 1]) throw std::invalid_argument("the part has more rows of a class than the whole");
    }
    tally.remembers = plan_.sampling == Sampling::subsample;
    if (tally.remembers) tally.drawn = RowSet(class_begin.back());
    draw_rows(plan_, tree, class_begin, tally);
    return tally;
  }

  ForestPlan plan_;
  std::vector<std::size_t> class_sizes_, class_before_;
  std::vector<double> weights_;
  std::map<std::uint32_t, PartTree> trees_;
};

PartRows::PartRows(ForestPlan plan, std::vector<std::size_t> class_sizes, std::vector<std::size_t> class_before,
                   std::vector<double> weights)
    : impl_(std::make_unique<Impl>(std::move(plan), std::move(class_sizes), std::move(class_before), std::move(weights))) {}
PartRows::PartRows(PartRows&&) noexcept = default;
PartRows::~PartRows() = default;

std::string PartRows::answer(Dataset const& data, std::string_view splits, std::string_view questions, unsigned n_threads) {
  return to_message(impl_->answer(data, read_splits(splits), read_questions(questions), n_threads));
}

std::string PartRows::gather(Dataset const& data, std::string_view splits, std::string_view tasks) {
  return impl_->gather(data, read_splits(splits), read_tasks(tasks));
}

}  // namespace rarewood
