#include "growth/growth.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "growth/classes_left.hpp"
#include "growth/small_branch/small_branch_grower.hpp"
#include "growth/stopping.hpp"
#include "growth/tree_rows.hpp"
#include "growth/tree_writer.hpp"
#include "search/node_keys.hpp"
#include "search/row_search.hpp"

namespace rarewood {

namespace {

// A node that waits to be split.
struct Pending {
  std::uint32_t node;
  std::size_t depth;
  Key key;
  RowSpan rows;
  ColumnSet features;
  ShareBounds bounds;
  std::size_t slot = 0;  // of its offsets while it waits
};

// The nodes that wait. Their offsets lie in slots that are used again, so that a node costs no allocation.
class Waiting {
 public:
  Waiting(GrowthOrder order, std::size_t n_offsets, Key key) : order_(order), n_offsets_(n_offsets), rng_(key) {}

  bool empty() const { return nodes_.empty(); }

  void push(Pending pending, std::span<std::size_t const> class_begin) {
    if (free_.empty()) {
      free_.push_back(offsets_.size());
      offsets_.resize(offsets_.size() + n_offsets_);
    }
    pending.slot = free_.back();
    free_.pop_back();
    std::copy(class_begin.begin(), class_begin.end(), offsets_.begin() + static_cast<std::ptrdiff_t>(pending.slot));
    nodes_.push_back(std::move(pending));
  }

  // `class_begin` receives its offsets.
  Pending pop(std::vector<std::size_t>& class_begin) {
    if (order_ == GrowthOrder::random) std::swap(nodes_[rng_.below(static_cast<std::uint32_t>(nodes_.size()))], nodes_.back());
    if (order_ == GrowthOrder::breadth_first) std::rotate(nodes_.begin(), nodes_.begin() + 1, nodes_.end());
    Pending pending = std::move(nodes_.back());
    nodes_.pop_back();
    free_.push_back(pending.slot);
    std::copy_n(offsets_.begin() + static_cast<std::ptrdiff_t>(pending.slot), n_offsets_, class_begin.begin());
    return pending;
  }

 private:
  GrowthOrder order_;
  std::size_t n_offsets_;  // per node
  Rng rng_;                // of the random order
  std::vector<Pending> nodes_;
  std::vector<std::size_t> offsets_;
  std::vector<std::size_t> free_;
};

class Grower {
 public:
  Grower(Dataset const& data, Sample& sample, std::span<double const> class_weights, Scorer& scorer, GrowthOptions const& options,
         GrowthStart start, WorkMeter& meter)
      : data_(data),
        scorer_(scorer),
        options_(options),
        meter_(meter),
        search_(data, scorer, class_weights, options),
        row_search_(data, scorer.traits(), options, meter_),
        small_branch_(data, search_, scorer, options),
        rows_(data, sample, search_.class_weights(), forms_read_by(options.splitter)),
        writer_(data.n_features(), data.n_classes()),
        waiting_(options.order, data.n_classes() + 1, start.key),
        class_begin_(data.n_classes() + 1) {
    waiting_.push(Pending{writer_.add_nodes(1), start.depth, start.key, RowSpan(), std::move(start.features), start.bounds},
                  sample.class_begin);
  }

  Subtree grow() {
    while (!waiting_.empty()) {
      Pending pending = waiting_.pop(class_begin_);
      if (!split(pending)) writer_.write_leaf(pending.node, rows_.leaf_counts());
    }
    std::vector<SplitGain> gains(writer_.gains().begin(), writer_.gains().end());
    return {writer_.finish(options_.order == GrowthOrder::depth_first), std::move(gains)};
  }

 private:
  // False: the node becomes a leaf.
  bool split(Pending& pending) {
    NodeRows const& node = rows_.enter(pending.rows, class_begin_);
    meter_.add(node.size());
    std::size_t const n_left = n_present(node);
    if (must_be_leaf(options_, pending.depth, n_left, pending.features.size(), node.cases())) return false;
    if (ClassesLeft::pays(n_left, node.n_classes()) && classes_may_be_left_out(node)) {
      grow_among(ClassesLeft(node.class_begin), node, pending);
      return true;
    }
    if (small_branch_.pays(node)) {
      small_branch_.grow(node, pending.node, pending.depth, pending.key, std::move(pending.features), writer_);
      return true;
    }
    rows_.make_local(pending.rows, pending.features);
    search_.begin(state_, node.totals, node.weights_are_cases, std::move(pending.features), pending.key, pending.bounds);
    std::optional<Split> const found = row_search_.find(search_, state_, node);
    if (!found) return false;
    NodeTest const test = std::visit([this](auto const& split) -> NodeTest { return split.divide(rows_); }, *found);
    writer_.add_gain(pending.node, search_.node_weight(), row_search_.improvement());
    push_children(pending, test, writer_.write_split(pending.node, test, rows_.children().size()));
    return true;
  }

  // The number of classes has a part in how rows are counted, and so in how sums of fractions round. A branch makes room for every category
  // of a column, which must cost little beside the counts that it saves.
  bool classes_may_be_left_out(NodeRows const& node) const {
    return options_.shortcuts && node.weights_are_cases && scorer_.traits().absent_classes_do_not_matter &&
           data_.most_categories() <= node.size() * node.n_classes();
  }

  // Writes everything below the node, and the node, as it would be grown here: in which order its nodes are grown leaves no trace.
  void grow_among(ClassesLeft const& classes, NodeRows const& node, Pending& pending) {
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t const j : classes.numbers()) numbers.push_back(static_cast<std::uint32_t>(data_.class_number(j)));
    Dataset const data = node.data->with_classes(std::move(numbers));
    Sample sample{{node.positions.begin(), node.positions.end()},
                  {node.weights.begin(), node.weights.end()},
                  classes.class_begin(node.class_begin),
                  node.weights_are_cases};
    std::vector<double> const class_weights = classes.weights(search_.class_weights());
    GrowthOptions options = options_;
    options.order = GrowthOrder::depth_first;
    GrowthStart start{pending.key, pending.depth, std::move(pending.features), pending.bounds};
    Subtree const branch = Grower(data, sample, class_weights, scorer_, options, std::move(start), meter_).grow();
    writer_.graft(pending.node, branch.tree, branch.gains, classes.numbers());
  }

  static std::size_t n_present(NodeRows const& node) {
    std::size_t classes = 0;
    for (std::size_t j = 0; j < node.n_classes(); ++j) classes += node.class_begin[j] < node.class_begin[j + 1] ? 1 : 0;
    return classes;
  }

  // The last one first: of those that wait, the first child is then next.
  void push_children(Pending const& pending, NodeTest const& test, std::uint32_t first_child) {
    Children const& children = rows_.children();
    std::size_t end = pending.rows.begin + class_begin_.back();
    for (std::size_t c = children.size(); c-- > 0;) {
      end -= children.n_rows(c);
      auto const child = static_cast<std::uint32_t>(c);
      RowSpan const rows{end, pending.rows.table};
      ShareBounds const bounds = options_.signs.empty() ? ShareBounds{} : bounds_of(child, test, pending.bounds);
      waiting_.push(Pending{first_child + child, pending.depth + 1, child_key(pending.key, child), rows, state_.features, bounds},
                    children.class_begin(c));
    }
  }

  ShareBounds bounds_of(std::uint32_t child, NodeTest const& test, ShareBounds const& own) const {
    Ways const ways = std::visit([this](auto const& kind) { return ways_of(kind, options_.signs); }, test);
    return ways.are_free() ? own : own.of_child(child, ways, rows_.second_share(0), rows_.second_share(1));
  }

  Dataset const& data_;
  Scorer& scorer_;
  GrowthOptions const& options_;
  WorkMeter& meter_;
  NodeSearch search_;
  SearchState state_;
  RowSearch row_search_;
  SmallBranchGrower small_branch_;
  TreeRows rows_;
  TreeWriter writer_;
  Waiting waiting_;
  std::vector<std::size_t> class_begin_;  // of the node in hand
};

void check_sizes(Dataset const& data, std::span<double const> class_weights, GrowthOptions const& options) {
  check_signs(options.signs, data.n_classes(), data.n_features());
  if (!class_weights.empty() && class_weights.size() != data.n_classes())
    throw std::invalid_argument("class_weights must have one entry per class");
  if (data.n_features() > Node::max_features)
    throw std::invalid_argument("at most " + std::to_string(Node::max_features) + " features are supported");
}

}  // namespace

Tree grow_tree(Dataset const& data, Sample sample, std::span<double const> class_weights, Scorer& scorer, GrowthOptions const& options,
               Key key, Monitor& monitor) {
  check_sizes(data, class_weights, options);
  WorkMeter meter(monitor, scorer.is_slow());
  return Grower(data, sample, class_weights, scorer, options, {key, 0, ColumnSet(data.n_features()), {}}, meter).grow().tree;
}

Subtree grow_subtree(Dataset const& data, Sample sample, std::span<double const> class_weights, Scorer& scorer,
                     GrowthOptions const& options, GrowthStart start, Monitor& monitor) {
  check_sizes(data, class_weights, options);
  if (options.order != GrowthOrder::depth_first) throw std::invalid_argument("subtrees are grown depth first");
  WorkMeter meter(monitor, scorer.is_slow());
  return Grower(data, sample, class_weights, scorer, options, std::move(start), meter).grow();
}

}  // namespace rarewood
