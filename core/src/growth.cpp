#include "rarewood/growth.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "feature_set.hpp"
#include "node_keys.hpp"
#include "node_search.hpp"
#include "rarewood/partition.hpp"
#include "tree_writer.hpp"

namespace rarewood {

namespace {

// A node that waits to be split: its rows are positions[begin, begin + class_begin.back()).
struct Pending {
  std::uint32_t node;
  std::size_t depth;
  Key key;
  std::shared_ptr<Dataset const> table;  // what its positions refer to, shared with the rest of its subtree; null: the whole table
  std::size_t begin;
  FeatureSet features;
  std::size_t slot = 0;                        // of its offsets while it waits
  std::span<std::size_t const> class_begin{};  // set when its turn has come
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
    pending.class_begin = class_begin;
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

// Where the classes of two children begin in their parts of the node.
struct Children {
  std::vector<std::size_t> left;
  std::vector<std::size_t> right;
};

// The values next to a cut: the stored threshold lies between them.
struct Boundary {
  Code largest_left = 0;
  Code smallest_right = missing_code;
  Position left_row = 0;
  Position right_row = 0;
  bool any_left = false;
  bool any_right = false;
};

// Which side of a hyperplane a training row is on; the same arithmetic as at prediction.
class PlaneSide {
 public:
  PlaneSide(Dataset const& data, Split const& split)
      : data_(data), split_(split), places_a_(places(split.map_a)), places_b_(places(split.map_b)) {}

  std::size_t operator()(Position p, std::size_t) const {
    double const a = data_.cell(p, split_.plane.feature_a);
    double const b = data_.cell(p, split_.plane.feature_b);
    if (a != a || b != b) return split_.missing_left ? 0 : 1;
    double const side = split_.plane.weight_a * coordinate(a, places_a_) + split_.plane.weight_b * coordinate(b, places_b_);
    return side <= split_.plane.offset ? 0 : 1;
  }

 private:
  static std::vector<double> places(std::vector<Code> const& in_order) {
    std::vector<double> places(in_order.empty() ? 0 : *std::max_element(in_order.begin(), in_order.end()) + std::size_t{1});
    for (std::size_t place = 0; place < in_order.size(); ++place) places[in_order[place]] = static_cast<double>(place);
    return places;
  }

  // Only for rows that have both attributes: the categories of the others may have no place.
  static double coordinate(double cell, std::vector<double> const& places) {
    return places.empty() ? cell : places[static_cast<std::size_t>(cell)];
  }

  Dataset const& data_;
  Split const& split_;
  std::vector<double> places_a_, places_b_;
};

constexpr std::size_t max_local_rows = 65536;         // keeps the memory of local tables small beside the data
constexpr std::size_t min_cells_to_leave = 1U << 22;  // a table of 2 MB

class Grower {
 public:
  Grower(Dataset const& data, Sample& sample, std::span<double const> class_weights, Scorer& scorer, GrowthOptions const& options, Key key,
         Monitor& monitor)
      : data_(data),
        sample_(sample),
        options_(options),
        meter_(monitor),
        key_(key),
        search_(data, scorer, class_weights, options, meter_),
        partition_(sample.positions, sample.weights),
        writer_(data.n_features(), data.n_classes()),
        waiting_(options.order, data.n_classes() + 1, key),
        class_begin_(data.n_classes() + 1),
        totals_(data.n_classes() + 1),
        child_of_category_(data.most_categories(), 0) {}

  Tree grow() {
    waiting_.push({writer_.add_nodes(1), 0, key_, nullptr, 0, FeatureSet(data_.n_features())}, sample_.class_begin);
    while (!waiting_.empty()) {
      Pending pending = waiting_.pop(class_begin_);
      grow_node(pending);
    }
    return writer_.finish(options_.order == GrowthOrder::depth_first);
  }

 private:
  void grow_node(Pending& pending) {
    NodeRows node = rows_of(pending);
    meter_.add(node.size());
    if (must_be_leaf(pending, node)) return make_leaf(pending.node);
    if (is_worth_a_table(pending)) {
      make_local_table(pending);
      node.data = &table(pending);
    }
    Split const split = search_.find(node, pending.features, pending.key);
    if (split.kind == SplitKind::leaf) return make_leaf(pending.node);
    writer_.note(pending.node, search_.node_weight(), search_.improvement());
    if (split.kind == SplitKind::multiway) {
      split_in_many(pending, split);
    } else {
      split_in_two(pending, split);
    }
  }

  NodeRows rows_of(Pending const& pending) {
    std::size_t const size = pending.class_begin.back();
    NodeRows node;
    node.data = &table(pending);
    node.positions = {sample_.positions.data() + pending.begin, size};
    if (!sample_.weights.empty()) node.weights = {sample_.weights.data() + pending.begin, size};
    node.class_begin = pending.class_begin;
    node.weights_are_cases = sample_.weights_are_cases;
    std::size_t const n_classes = data_.n_classes();
    std::fill(totals_.begin(), totals_.end(), 0.0);
    for (std::size_t j = 0; j < n_classes; ++j) {
      std::size_t const begin = node.class_begin[j];
      std::size_t const end = node.class_begin[j + 1];
      if (node.weights.empty()) {
        totals_[j] = static_cast<double>(end - begin);
        totals_[n_classes] += totals_[j];
        continue;
      }
      for (std::size_t i = begin; i < end; ++i) {
        totals_[j] += node.weights[i];
        totals_[n_classes] += node.cases_of(node.weights[i]);
      }
    }
    node.totals = totals_;
    return node;
  }

  Dataset const& table(Pending const& pending) const { return pending.table == nullptr ? data_ : *pending.table; }

  // A node much smaller than its table gets a table of its own: its rows are then dense in memory, and so are those of its children.
  // Copying costs about one pass over all features, so it must be large enough not to sit in the cache anyway.
  bool is_worth_a_table(Pending const& pending) const {
    std::size_t const size = pending.class_begin.back();
    std::size_t const n_cells = table(pending).n_rows() * data_.n_features();
    return size >= 128 && size <= max_local_rows && size * 16 <= table(pending).n_rows() && n_cells >= min_cells_to_leave;
  }

  void make_local_table(Pending& pending) {
    std::span<Position> const positions(sample_.positions.data() + pending.begin, pending.class_begin.back());
    std::vector<std::uint32_t> features;
    pending.features.list(features);
    pending.table = std::make_shared<Dataset const>(table(pending).subset(positions, pending.class_begin, features));
    std::iota(positions.begin(), positions.end(), Position{0});
  }

  bool must_be_leaf(Pending const& pending, NodeRows const& node) const {
    std::size_t classes = 0;
    for (std::size_t j = 0; j < data_.n_classes(); ++j) classes += node.class_begin[j] < node.class_begin[j + 1] ? 1 : 0;
    if (classes < 2 || pending.features.size() == 0) return true;
    if (node.cases() < options_.min_samples_split || node.cases() < 2.0 * options_.min_samples_leaf) return true;
    return options_.max_depth != 0 && pending.depth >= options_.max_depth;
  }

  void split_in_two(Pending& pending, Split const& split) {
    Node const stored = divide(pending, split, children_);
    std::uint32_t const first_child = writer_.add_nodes(2);
    writer_.write_split(pending.node, stored, first_child);
    std::size_t const depth = pending.depth + 1;
    std::size_t const right_begin = pending.begin + children_.left.back();
    waiting_.push({first_child + 1, depth, child_key(pending.key, 1), pending.table, right_begin, pending.features}, children_.right);
    waiting_.push({first_child, depth, child_key(pending.key, 0), std::move(pending.table), pending.begin, std::move(pending.features)},
                  children_.left);
  }

  // Moves the rows and returns the node to store, its children still unnumbered.
  Node divide(Pending const& pending, Split const& split, Children& children) {
    auto const move_rows = [&](auto child_of) {
      partition_.split_in_two(pending.begin, pending.class_begin, child_of, children.left, children.right);
    };
    std::size_t const missing_child = split.missing_left ? 0 : 1;
    if (split.kind == SplitKind::hyperplane) {
      if (split.sides.empty()) {
        move_rows(PlaneSide(table(pending), split));
      } else {
        move_rows([sides = split.sides.data()](Position, std::size_t i) -> std::size_t { return sides[i]; });
      }
      return {SplitKind::hyperplane, split.feature, missing_goes_left(pending, split, children), store_plane(pending, split, children), 0};
    }
    if (split.kind == SplitKind::subset) {
      Code const* column = table(pending).codes(split.feature).data();
      for (Code code : split.codes) child_of_category_[code] = 1;
      move_rows([&](Position p, std::size_t) { return column[p] == missing_code ? missing_child : 1U - child_of_category_[column[p]]; });
      for (Code code : split.codes) child_of_category_[code] = 0;
      return {SplitKind::subset, split.feature, split.missing_left, static_cast<double>(writer_.add_list(split.codes, {})), 0};
    }
    double cut = split.cut_value;
    if (!split.by_value) {
      Code const* column = table(pending).codes(split.feature).data();
      Boundary boundary;
      move_rows([&](Position p, std::size_t) { return numeric_child(split, column[p], p, boundary); });
      cut = threshold(table(pending), boundary, split.feature);
    } else {
      auto const by_value = [&](auto const* column, auto limit) {
        move_rows([=](Position p, std::size_t) -> std::size_t {
          return column[p] != column[p] ? missing_child : column[p] <= limit ? 0 : 1;
        });
      };
      if (!split.cells.empty()) {
        move_rows([cells = split.cells.data(), limit = static_cast<float>(cut)](Position, std::size_t i) -> std::size_t {
          return cells[i] <= limit ? 0 : 1;
        });
      } else if (table(pending).narrow(split.feature).empty()) {
        by_value(table(pending).wide(split.feature).data(), cut);
      } else {
        by_value(table(pending).narrow(split.feature).data(), static_cast<float>(cut));  // the cut was drawn as a float32
      }
    }
    return {SplitKind::numeric, split.feature, missing_goes_left(pending, split, children), cut, 0};
  }

  // As learned, or the heavier child when the node had no missing values to learn from.
  bool missing_goes_left(Pending const& pending, Split const& split, Children const& children) const {
    return split.missing_seen ? split.missing_left : is_heavier(pending.begin, children.left, children.right);
  }

  // Child of a row, noting the values next to the cut on the way.
  static std::size_t numeric_child(Split const& split, Code code, Position position, Boundary& boundary) {
    if (code == missing_code) return split.missing_left ? 0 : 1;
    if (code <= split.cut) {
      if (!boundary.any_left || code > boundary.largest_left) {
        boundary.largest_left = code;
        boundary.left_row = position;
        boundary.any_left = true;
      }
      return 0;
    }
    if (code < boundary.smallest_right) {
      boundary.smallest_right = code;
      boundary.right_row = position;
      boundary.any_right = true;
    }
    return 1;
  }

  static double threshold(Dataset const& table, Boundary const& boundary, std::size_t feature) {
    if (!boundary.any_right) return INFINITY;  // everything present goes left
    double const low = table.value(boundary.left_row, feature);
    double const high = table.value(boundary.right_row, feature);
    double const middle = low + (high - low) / 2.0;
    return low <= middle && middle < high ? middle : low;  // also when high - low overflows
  }

  double store_plane(Pending const& pending, Split const& split, Children const& children) {
    Hyperplane plane = split.plane;
    plane.map_a = store_map(split.map_a);
    plane.map_b = store_map(split.map_b);
    plane.unseen_left = is_heavier(pending.begin, children.left, children.right) ? 1 : 0;
    return static_cast<double>(writer_.add_plane(plane));
  }

  // `in_order`: categories by place.
  std::uint32_t store_map(std::vector<Code> const& in_order) {
    if (in_order.empty()) return Hyperplane::no_map;
    std::vector<std::pair<Code, Code>> placed;
    for (std::size_t place = 0; place < in_order.size(); ++place) placed.emplace_back(in_order[place], static_cast<Code>(place));
    std::sort(placed.begin(), placed.end());
    std::vector<Code> codes;
    std::vector<Code> places;
    for (auto const& [code, place] : placed) {
      codes.push_back(code);
      places.push_back(place);
    }
    return writer_.add_list(codes, places);
  }

  void split_in_many(Pending& pending, Split const& split) {
    std::size_t const n_children = split.codes.size() + (split.missing_seen ? 1 : 0);
    Code const* column = table(pending).codes(split.feature).data();
    for (std::size_t c = 0; c < split.codes.size(); ++c) child_of_category_[split.codes[c]] = static_cast<std::uint32_t>(c);
    std::vector<std::size_t> class_begins;
    auto const child_of = [&](Position p) -> std::size_t {
      return column[p] == missing_code ? split.codes.size() : child_of_category_[column[p]];
    };
    partition_.split_in_many(pending.begin, pending.class_begin, n_children, child_of, class_begins);
    for (Code code : split.codes) child_of_category_[code] = 0;

    std::uint32_t const first_child = writer_.add_nodes(n_children);
    std::size_t const stride = data_.n_classes() + 1;
    std::size_t end = pending.begin + pending.class_begin.back();
    std::size_t heaviest = 0;
    double most = -1.0;
    for (std::size_t c = n_children; c-- > 0;) {
      std::span<std::size_t const> const class_begin(class_begins.data() + c * stride, stride);
      std::size_t const begin = end - class_begin.back();
      double const weight = weight_of(begin, class_begin);
      if (weight >= most) {  // of equals the first
        most = weight;
        heaviest = c;
      }
      auto const child = static_cast<std::uint32_t>(c);
      waiting_.push({first_child + child, pending.depth + 1, child_key(pending.key, child), pending.table, begin, pending.features},
                    class_begin);
      end = begin;
    }
    std::size_t const missing_child = split.missing_seen ? split.codes.size() : heaviest;
    std::uint32_t const leaf_row = writer_.add_row(leaf_counts());  // where rows of an unseen category stop
    std::uint32_t const list = writer_.add_list(split.codes, {}, static_cast<std::uint32_t>(missing_child), leaf_row);
    writer_.write_split(pending.node, {SplitKind::multiway, split.feature, false, static_cast<double>(list), 0}, first_child);
  }

  // Weight of a child, class weights applied.
  double weight_of(std::size_t begin, std::span<std::size_t const> class_begin) const {
    double total = 0.0;
    for (std::size_t j = 0; j < data_.n_classes(); ++j) {
      double weight = static_cast<double>(class_begin[j + 1] - class_begin[j]);
      if (!sample_.weights.empty()) {
        weight = 0.0;
        for (std::size_t i = class_begin[j]; i < class_begin[j + 1]; ++i) weight += sample_.weights[begin + i];
      }
      total += search_.class_weights().empty() ? weight : weight * search_.class_weights()[j];
    }
    return total;
  }

  bool is_heavier(std::size_t begin, std::vector<std::size_t> const& left, std::vector<std::size_t> const& right) const {
    return weight_of(begin, left) >= weight_of(begin + left.back(), right);
  }

  // Counts and cases of the node in hand, class weights applied.
  std::span<double const> leaf_counts() {
    std::span<double const> const class_weights = search_.class_weights();
    if (class_weights.empty()) return totals_;
    leaf_counts_ = totals_;
    for (std::size_t j = 0; j < class_weights.size(); ++j) leaf_counts_[j] *= class_weights[j];
    return leaf_counts_;
  }

  void make_leaf(std::uint32_t node) { writer_.write_leaf(node, leaf_counts()); }

  Dataset const& data_;
  Sample& sample_;
  GrowthOptions const& options_;
  WorkMeter meter_;
  Key key_;  // of the root
  NodeSearch search_;
  Partition partition_;
  TreeWriter writer_;
  Waiting waiting_;
  std::vector<std::size_t> class_begin_;  // of the node in hand
  Children children_;
  std::vector<double> totals_;                    // class counts and cases of the node in hand
  std::vector<double> leaf_counts_;               // the same with class weights
  std::vector<std::uint32_t> child_of_category_;  // zero between uses
};

}  // namespace

GrowthOrder growth_order_named(std::string_view name) {
  if (name == "depth_first") return GrowthOrder::depth_first;
  if (name == "breadth_first") return GrowthOrder::breadth_first;
  if (name == "random") return GrowthOrder::random;
  throw std::invalid_argument("order must be 'depth_first', 'breadth_first' or 'random', got '" + std::string(name) + "'");
}

Tree grow_tree(Dataset const& data, Sample sample, std::span<double const> class_weights, Scorer& scorer, GrowthOptions const& options,
               Key key, Monitor& monitor) {
  if (!class_weights.empty() && class_weights.size() != data.n_classes())
    throw std::invalid_argument("class_weights must have one entry per class");
  if (data.storage() != storage_for(options.splitter)) throw std::invalid_argument("the dataset was prepared for another splitter");
  if (options.splitter != Splitter::best && options.n_cuts == 0) throw std::invalid_argument("n_cuts must be at least 1");
  if (data.n_features() > Node::max_features)
    throw std::invalid_argument("at most " + std::to_string(Node::max_features) + " features are supported");
  return Grower(data, sample, class_weights, scorer, options, key, monitor).grow();
}

}  // namespace rarewood
