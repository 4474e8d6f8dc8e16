#include "rarewood/level_grower.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "growth/class_weighting.hpp"
#include "growth/stopping.hpp"
#include "growth/tree_writer.hpp"
#include "parts/remote_requests.hpp"
#include "samples/tree_streams.hpp"
#include "search/node_keys.hpp"
#include "search/node_search.hpp"

namespace rarewood {

namespace {

// A node that waits for answers, or for its rows to be gathered.
struct OpenNode {
  std::size_t tree;  // of those that grow
  std::uint32_t node;
  std::size_t depth;
  Key key;
  std::vector<double> totals;
  ColumnSet features;
  ShareBounds bounds;
  SearchState search{};
  bool has_begun = false;
  std::optional<Request> asked{};  // what the search waits for
  std::vector<std::unique_ptr<RemoteRequest>> requests{};

  // Trees in order, inside a tree nodes in order.
  bool operator<(OpenNode const& other) const { return std::pair(tree, node) < std::pair(other.tree, other.node); }
};

// Rows that are elsewhere, for a split that becomes a test: all it needs of them are the counts of the children.
class CountedRows {
 public:
  CountedRows(Dataset const& table, ClassWeighting const& class_weighting, Counts leaf_counts,
              std::vector<std::vector<double>> const& children)
      : table_(table),
        class_weighting_(class_weighting),
        leaf_counts_(leaf_counts),
        children_(children),
        marks_(table.most_categories(), 0) {}

  template <class ChildOf>
  void split_in_two(ChildOf) {}
  template <class ChildOf>
  void split_in_many(std::size_t, ChildOf) {}
  Dataset const& table() const { return table_; }
  std::vector<std::uint32_t>& marks() { return marks_; }
  Counts leaf_counts() const { return leaf_counts_; }

  std::size_t heaviest_child() const {
    return heaviest_of(children_.size(), [this](std::size_t child) {
      std::vector<double> const& counts = children_[child];
      double weight = 0.0;
      for (std::size_t j = 0; j + 1 < counts.size(); ++j) weight += class_weighting_.weighted(j, counts[j]);
      return weight;
    });
  }

 private:
  Dataset const& table_;
  ClassWeighting const& class_weighting_;
  Counts leaf_counts_;
  std::vector<std::vector<double>> const& children_;
  std::vector<std::uint32_t> marks_;
};

}  // namespace

class LevelGrower::Impl {
 public:
  Impl(TableShape const& shape, ForestPlan const& plan, std::size_t first, std::size_t end, double small_cases)
      : shape_(shape),
        plan_(plan),
        first_(first),
        small_cases_(small_cases),
        table_(shape.table({})),
        class_weighting_(plan_.class_weights) {
    plan_.check();
    check_signs(plan_.growth.signs, shape.n_classes, table_.n_features());
    if (first >= end || end > plan.n_trees) throw std::invalid_argument("the plan has no such trees");
    if (!plan.weights.empty() || !plan.groups.empty() || !plan.class_map.empty())
      throw std::invalid_argument("weights, groups and other classes belong to the parts");
    for (MakeScorer const& make : plan.criteria) {
      scorers_.push_back(make(shape.n_classes));
      searches_.push_back(std::make_unique<NodeSearch>(table_, *scorers_.back(), plan_.class_weights, plan_.growth));
    }
    log_.first_tree = static_cast<std::uint32_t>(first);
    log_.of_tree.resize(end - first);
    n_before_.resize(end - first, 0);
    for (std::size_t t = 0; t < end - first; ++t) {
      writers_.emplace_back(table_.n_features(), shape.n_classes);
      questions_.push_back(Question{.tree = static_cast<std::uint32_t>(first + t), .node = writers_[t].add_nodes(1)});
    }
  }

  std::vector<Question> const& questions() const { return questions_; }
  SplitLog const& log() const { return log_; }

  // The splits that the last answers led to.
  SplitLog new_log() const {
    SplitLog fresh{log_.first_tree, std::vector<std::vector<MovedNode>>(log_.of_tree.size()), n_before_};
    for (std::size_t t = 0; t < log_.of_tree.size(); ++t)
      fresh.of_tree[t].assign(log_.of_tree[t].begin() + static_cast<std::ptrdiff_t>(n_before_[t]), log_.of_tree[t].end());
    return fresh;
  }
  std::vector<SmallNode> const& small_nodes() const { return small_nodes_; }

  void hear(std::vector<Answer> const& answers) {
    if (questions_.empty() || answers.size() != questions_.size()) throw std::invalid_argument("there must be one answer to each question");
    if (asking_.empty()) {
      begin_trees(answers);
    } else {
      for (std::size_t i = 0; i < answers.size(); ++i) asking_[i]->hear(answers[i]);
    }
    questions_.clear();
    asking_.clear();
    for (std::size_t t = 0; t < n_before_.size(); ++t) n_before_[t] = log_.of_tree[t].size();
    // Children join the nodes that wait, so that no node waits for another.
    std::vector<OpenNode> waiting;
    while (!open_.empty()) {
      OpenNode node = std::move(open_.back());
      open_.pop_back();
      if (advance(node)) waiting.push_back(std::move(node));
    }
    open_ = std::move(waiting);
    // In the order of nodes, so that messages do not depend on how they were worked off.
    std::sort(open_.begin(), open_.end());
    for (OpenNode& node : open_) ask(node);
    if (open_.empty()) {
      std::sort(small_.begin(), small_.end());
      for (OpenNode const& node : small_) small_nodes_.push_back({first_ + node.tree, node.node, node.totals.back()});
    }
  }

  std::vector<SubtreeTask> tasks(std::span<std::size_t const> which) const {
    std::vector<SubtreeTask> tasks;
    for (std::size_t i : which) {
      OpenNode const& node = small_.at(i);
      SubtreeTask task{static_cast<std::uint32_t>(first_ + node.tree), node.node, node.depth, node.key.number(), {}, node.bounds};
      node.features.list(task.features);
      tasks.push_back(std::move(task));
    }
    return tasks;
  }

  void graft(std::size_t small_node, Subtree const& subtree) {
    OpenNode const& node = small_.at(small_node);
    writers_[node.tree].graft(node.node, subtree.tree, subtree.gains);
    ++n_grafted_;
  }

  std::vector<Tree> finish() {
    if (!questions_.empty() || n_grafted_ != small_.size()) throw std::invalid_argument("the trees are not grown to the end");
    std::vector<Tree> trees;
    for (TreeWriter& writer : writers_) {
      trees.push_back(writer.finish(false));
      trees.back().shrink_to_fit();
    }
    return trees;
  }

 private:
  NodeSearch& search_of(OpenNode const& node) { return *searches_[plan_.criterion_of(first_ + node.tree)]; }

  void begin_trees(std::vector<Answer> const& answers) {
    for (std::size_t t = 0; t < answers.size(); ++t) {
      std::vector<double> const& totals = std::get<Totals>(answers[t]).counts;
      if (totals.size() != shape_.n_classes + 1) throw std::invalid_argument("the parts count other classes");
      place(OpenNode{t, 0, 0, growth_key(plan_, first_ + t), totals, ColumnSet(table_.n_features()), {}});
    }
  }

  // A new node: a leaf, a small one, or one to search.
  void place(OpenNode node) {
    if (is_leaf(node)) {
      write_leaf(node);
    } else if (plan_.growth.splitter == Splitter::best || node.totals.back() <= small_cases_) {
      small_.push_back(std::move(node));
    } else {
      open_.push_back(std::move(node));
    }
  }

  bool is_leaf(OpenNode const& node) const {
    auto const n_classes = std::count_if(node.totals.begin(), node.totals.end() - 1, [](double count) { return count > 0.0; });
    return must_be_leaf(plan_.growth, node.depth, static_cast<std::size_t>(n_classes), node.features.size(), node.totals.back());
  }

  void write_leaf(OpenNode const& node) { writers_[node.tree].write_leaf(node.node, class_weighting_.leaf_counts(node.totals)); }

  // Searches on as far as answers go. False: the node is done.
  bool advance(OpenNode& node) {
    NodeSearch& search = search_of(node);
    if (!node.has_begun) {
      search.begin(node.search, node.totals, false, node.features, node.key, node.bounds);
      node.has_begun = true;
    } else {
      search.resume(node.search);
    }
    for (;;) {
      if (!node.asked) node.asked = search.ask(node.search);
      if (!node.asked) break;
      RemoteRequest* const remote = find(node, *node.asked);
      if (remote == nullptr || !remote->is_done()) return true;
      search.consider(node.search, *node.asked, remote->result(search.candidates()));
      node.asked.reset();
    }
    settle(node, search);
    return false;
  }

  void settle(OpenNode& node, NodeSearch& search) {
    Choice const choice = search.decide(node.search);
    if (!choice.best.found) return write_leaf(node);
    TreeWriter& writer = writers_[node.tree];
    writer.add_gain(node.node, search.node_weight(), search.improvement(choice));
    auto const [split, children] = find(node, choice.request)->chosen(choice.best, node.totals);
    CountedRows rows(table_, class_weighting_, class_weighting_.leaf_counts(node.totals), children);
    NodeTest const test = std::visit([&rows](auto const& kind) -> NodeTest { return kind.divide(rows); }, split);
    std::uint32_t const first_child = writer.write_split(node.node, test, children.size());
    log_.of_tree[node.tree].push_back({node.node, first_child, split});
    for (std::uint32_t c = 0; c < children.size(); ++c)
      place(OpenNode{node.tree, first_child + c, node.depth + 1, child_key(node.key, c), children[c], node.search.features,
                     bounds_of(c, test, children, node.bounds)});
  }

  ShareBounds bounds_of(std::uint32_t child, NodeTest const& test, std::vector<std::vector<double>> const& children,
                        ShareBounds const& own) const {
    if (plan_.growth.signs.empty()) return own;
    Ways const ways = std::visit([this](auto const& kind) { return ways_of(kind, plan_.growth.signs); }, test);
    auto const share = [&](std::size_t c) {
      double const second = class_weighting_.weighted(1, children[c][1]);
      return second / (class_weighting_.weighted(0, children[c][0]) + second);
    };
    return ways.are_free() ? own : own.of_child(child, ways, share(0), share(1));
  }

  // Asks what the node needs if all it asks about turns out well; the search is begun again from where it stands when answers have come.
  void ask(OpenNode& node) {
    NodeSearch& search = search_of(node);
    search.resume(node.search);
    SearchState ahead = node.search;
    std::optional<Request> request = node.asked;
    while (request) {
      RemoteRequest* remote = find(node, *request);
      if (remote == nullptr) {
        node.requests.push_back(make_remote_request(table_, shape_.wide, *request, plan_.growth.n_cuts));
        remote = node.requests.back().get();
      }
      ColumnResult result;
      if (remote->is_done()) {
        result = remote->result(search.candidates());
      } else {
        result.best.found = true;
        Question question = remote->question();
        question.tree = static_cast<std::uint32_t>(first_ + node.tree);
        question.node = node.node;
        questions_.push_back(std::move(question));
        asking_.push_back(remote);
      }
      search.consider(ahead, *request, result);
      request = search.ask(ahead);
    }
  }

  static RemoteRequest* find(OpenNode& node, Request const& request) {
    for (auto const& remote : node.requests) {
      if (remote->request().key == request.key) return remote.get();
    }
    return nullptr;
  }

  TableShape shape_;
  ForestPlan plan_;
  std::size_t first_;
  double small_cases_;
  Dataset table_;  // without rows
  ClassWeighting class_weighting_;
  std::vector<std::unique_ptr<Scorer>> scorers_;
  std::vector<std::unique_ptr<NodeSearch>> searches_;  // per criterion
  std::vector<TreeWriter> writers_;                    // per tree
  SplitLog log_;
  std::vector<std::uint64_t> n_before_;  // splits of each tree before the last answers
  std::vector<Question> questions_;
  std::vector<RemoteRequest*> asking_;  // who asked each; none: the questions are about the roots
  std::vector<OpenNode> open_;
  std::vector<OpenNode> small_;
  std::vector<SmallNode> small_nodes_;
  std::size_t n_grafted_ = 0;
};

LevelGrower::LevelGrower(TableShape const& shape, ForestPlan const& plan, std::size_t first, std::size_t end, double small_cases)
    : impl_(std::make_unique<Impl>(shape, plan, first, end, small_cases)) {}
LevelGrower::~LevelGrower() = default;
std::size_t LevelGrower::n_questions() const { return impl_->questions().size(); }
std::string LevelGrower::questions() const { return to_message(impl_->questions()); }
void LevelGrower::hear(std::string_view answers) { impl_->hear(read_answers(answers)); }
std::string LevelGrower::splits() const { return to_message(impl_->log()); }
std::string LevelGrower::new_splits() const { return to_message(impl_->new_log()); }
std::vector<SmallNode> const& LevelGrower::small_nodes() const { return impl_->small_nodes(); }
std::string LevelGrower::tasks(std::span<std::size_t const> which) const { return to_message(impl_->tasks(which)); }
void LevelGrower::graft(std::size_t small_node, Subtree const& subtree) { impl_->graft(small_node, subtree); }
std::vector<Tree> LevelGrower::finish() { return impl_->finish(); }

std::string sum_of_answers(std::span<std::string_view const> answers) {
  if (answers.empty()) throw std::invalid_argument("there are no answers to add up");
  std::vector<Answer> sum = read_answers(answers.front());
  for (std::string_view message : answers.subspan(1)) {
    std::vector<Answer> const more = read_answers(message);
    if (more.size() != sum.size()) throw std::invalid_argument("answers to different questions cannot be added up");
    for (std::size_t i = 0; i < sum.size(); ++i) std::visit([&]<class A>(A& total) { total += std::get<A>(more[i]); }, sum[i]);
  }
  return to_message(sum);
}

}  // namespace rarewood
