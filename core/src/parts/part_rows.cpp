#include "rarewood/part_rows.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "base/parallel.hpp"
#include "base/row_set.hpp"
#include "growth/tree_rows.hpp"
#include "parts/gathered_block.hpp"
#include "parts/part_messages.hpp"
#include "predict/add_out_of_bag.hpp"
#include "samples/draws.hpp"
#include "search/category_counts.hpp"
#include "search/splitters/cut_rows.hpp"
#include "search/splitters/line_rows.hpp"

namespace rarewood {

namespace {

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
  Impl(std::shared_ptr<TableDraws> draws, std::vector<std::size_t> class_before, std::vector<double> weights,
       std::vector<std::uint32_t> groups)
      : draws_(std::move(draws)), class_before_(std::move(class_before)), weights_(std::move(weights)), groups_(std::move(groups)) {
    if (class_before_.size() != n_classes()) throw std::invalid_argument("class_before must have one entry per class");
  }

  std::vector<Answer> answer(Dataset const& data, SplitLog const& log, std::vector<Question> const& questions, unsigned n_threads,
                             Monitor& monitor) {
    follow(data, log, n_threads, monitor);
    std::map<std::uint32_t, std::vector<std::size_t>> by_tree;
    for (std::size_t i = 0; i < questions.size(); ++i) by_tree[questions[i].tree].push_back(i);
    std::vector<std::pair<std::uint32_t, std::vector<std::size_t>>> const work(by_tree.begin(), by_tree.end());
    std::vector<Answer> answers(questions.size());
    parallel_for(work.size(), n_threads, monitor, [&](std::size_t w, Monitor& shared) {
      Answering answering(data, tree_of(work[w].first));
      for (std::size_t i : work[w].second) {
        shared.poll();
        answers[i] = answering.answer(questions[i]);
      }
    });
    return answers;
  }

  bool is_behind(SplitLog const& log) const {
    for (std::size_t t = 0; t < log.of_tree.size(); ++t) {
      auto const found = trees_.find(static_cast<std::uint32_t>(log.first_tree + t));
      std::size_t const known = found == trees_.end() || found->second.n_splits > log.n_after(t) ? 0 : found->second.n_splits;
      if (known < log.n_before(t)) return true;
    }
    return false;
  }

  std::string gather(Dataset const& data, SplitLog const& log, std::vector<SubtreeTask> const& tasks, Monitor& monitor) {
    follow(data, log, 1, monitor);
    ArchiveWriter block;
    for (SubtreeTask const& task : tasks) {
      PartTree& tree = tree_of(task.tree);
      write_rows(data, tree.sample, place_of(tree, task.node).begin, place_of(tree, task.node).class_begin, block);
    }
    return block.take();
  }

  void add_out_of_bag(Dataset const& data, std::size_t first, std::span<Tree const> trees, std::span<PseudoCounts const> pseudo_counts,
                      unsigned n_threads, Monitor& monitor, OutOfBag& result) const {
    check(data);
    if (result.n_trees.size() != data.n_rows() || first + trees.size() > draws_->plan().n_trees)
      throw std::invalid_argument("the part has other rows, or the plan other trees");
    auto const out_of_bag = [&](std::size_t tree) {
      if (has_groups()) return rows_left_out(data.n_rows(), tree);
      RowSet others = RowSet::all(data.n_rows());
      for_each_drawn(data, tree,
                     [&](std::size_t, Position position, double, std::uint32_t) { others.remove(data.original_row(position)); });
      return others;
    };
    rarewood::add_out_of_bag(DatasetRows(data), out_of_bag, first, trees, pseudo_counts, n_threads, monitor, result);
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
      for (LineOrders const* orders : {&question.orders_a, &question.orders_b}) {
        if (!orders->empty() && orders->size() != question.lines.size())
          throw std::invalid_argument("a question has orders for other lines");
      }
      check_orders(question.orders_a, question.feature);
      check_orders(question.orders_b, question.other);
      LineCounts counts;
      counts.reset(question.lines.size(), data_.n_classes());
      std::vector<std::size_t> all(question.lines.size());
      std::iota(all.begin(), all.end(), std::size_t{0});
      lines_.count(node, LinesToCount{question.lines, question.orders_a, question.orders_b, all}, counts);
      return counts;
    }

    void check_orders(LineOrders const& orders, std::uint32_t feature) const {
      for (std::vector<Code> const& order : orders) {
        if (std::any_of(order.begin(), order.end(), [&](Code code) { return code >= data_.n_categories(feature); }))
          throw std::invalid_argument("a question places a category that its column does not have");
      }
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
  void follow(Dataset const& data, SplitLog const& log, unsigned n_threads, Monitor& monitor) {
    check(data);
    if (is_behind(log)) throw std::invalid_argument("the part misses splits that come before these");
    std::size_t const last = log.first_tree + log.of_tree.size();
    std::erase_if(trees_, [&](auto const& item) { return item.first < log.first_tree || item.first >= last; });
    for (std::size_t t = log.first_tree; t < last; ++t) trees_.try_emplace(static_cast<std::uint32_t>(t));
    parallel_for(log.of_tree.size(), n_threads, monitor, [&](std::size_t t, Monitor&) {
      auto const number = static_cast<std::uint32_t>(log.first_tree + t);
      PartTree& tree = trees_.at(number);
      if (tree.nodes.empty() || tree.n_splits > log.n_after(t)) plant(data, number, tree);
      TreeRows rows(data, tree.sample, {}, Forms{.ranks = false, .values = true});
      for (; tree.n_splits < log.n_after(t); ++tree.n_splits) move(rows, tree, log.of_tree[t][tree.n_splits - log.n_before(t)]);
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
    Sample sample;
    std::size_t cls = 0;
    sample.class_begin.push_back(0);
    for_each_drawn(data, tree, [&](std::size_t j, Position position, double weight, std::uint32_t times) {
      for (; cls < j; ++cls) sample.class_begin.push_back(sample.positions.size());
      sample.add(position, weight, times);
    });
    for (; cls < n_classes(); ++cls) sample.class_begin.push_back(sample.positions.size());
    sample.forget_unit_weights();
    sample.positions.shrink_to_fit();
    return sample;
  }

  // Calls visit(class, position, weight, times) for the rows that the tree sees, class by class.
  template <class Visit>
  void for_each_drawn(Dataset const& data, std::size_t tree, Visit visit) const {
    std::shared_ptr<TableDraws::OfTree const> const draws = draws_->of_tree(tree);
    for (std::size_t j = 0; j < n_classes(); ++j) {
      std::size_t place = draws_->class_begin()[j] + class_before_[j];  // among rows of positive weight of the whole table
      for (std::size_t i = data.class_begin(j); i < data.class_end(j); ++i) {
        Position const position = data.position(i);
        double const weight = weights_.empty() ? 1.0 : weights_[data.original_row(position)];
        if (weight == 0.0) continue;
        if (place >= draws_->class_begin()[j + 1]) throw std::invalid_argument("the part has more rows of a class than the whole");
        std::uint32_t const drawn = draws->times.empty() ? 1 : draws->times[place];
        ++place;
        if (drawn > 0 && !(has_groups() && draws->left_out[groups_[data.original_row(position)]])) visit(j, position, weight, drawn);
      }
    }
  }

  RowSet rows_left_out(std::size_t n_rows, std::size_t tree) const {
    std::shared_ptr<TableDraws::OfTree const> const draws = draws_->of_tree(tree);
    RowSet rows(n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) {
      if (draws->left_out[groups_[row]]) rows.add(row);
    }
    return rows;
  }

  void check(Dataset const& data) const {
    if (data.n_classes() != n_classes()) throw std::invalid_argument("the part has other classes than the whole");
    if (!weights_.empty() && weights_.size() != data.n_rows()) throw std::invalid_argument("the part has other rows than its weights");
    if (has_groups()) check_groups(draws_->plan(), groups_, data.n_rows());
  }

  std::size_t n_classes() const { return draws_->class_begin().size() - 1; }
  bool has_groups() const { return !draws_->plan().strata.empty(); }

  std::shared_ptr<TableDraws> draws_;
  std::vector<std::size_t> class_before_;
  std::vector<double> weights_;
  std::vector<std::uint32_t> groups_;
  std::map<std::uint32_t, PartTree> trees_;
};

PartRows::PartRows(std::shared_ptr<TableDraws> draws, std::vector<std::size_t> class_before, std::vector<double> weights,
                   std::vector<std::uint32_t> groups)
    : impl_(std::make_unique<Impl>(std::move(draws), std::move(class_before), std::move(weights), std::move(groups))) {}
PartRows::PartRows(PartRows&&) noexcept = default;
PartRows::~PartRows() = default;

std::string PartRows::answer(Dataset const& data, std::string_view splits, std::string_view questions, unsigned n_threads,
                             Monitor& monitor) {
  return to_message(impl_->answer(data, read_splits(splits), read_questions(questions), n_threads, monitor));
}

bool PartRows::is_behind(std::string_view splits) const { return impl_->is_behind(read_splits(splits)); }

std::string PartRows::gather(Dataset const& data, std::string_view splits, std::string_view tasks, Monitor& monitor) {
  return impl_->gather(data, read_splits(splits), read_tasks(tasks), monitor);
}

void PartRows::add_out_of_bag(Dataset const& data, std::size_t first, std::span<Tree const> trees,
                              std::span<PseudoCounts const> pseudo_counts, unsigned n_threads, Monitor& monitor, OutOfBag& result) const {
  impl_->add_out_of_bag(data, first, trees, pseudo_counts, n_threads, monitor, result);
}

}  // namespace rarewood
