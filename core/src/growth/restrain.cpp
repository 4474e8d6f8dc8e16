#include <cmath>
#include <stdexcept>
#include <vector>

#include "growth/leaf_table.hpp"
#include "rarewood/monotone.hpp"
#include "rarewood/tree.hpp"

namespace rarewood {

namespace {

// What a leaf of n cases with the share r of the second class says, smoothed by m cases of which that class has the part s, lies above s by
//
//   (n r + m s) / (n + m) - s  =  (r - s) n / (n + m)
//
// A leaf says no more than another for every m in [0, M] if it does for m = 0 and m = M: the difference, times both denominators, is linear
// in m. So two numbers stand for a leaf, and leaves are in order if both are. Which pairs are leaves: both of one sign, and the second no
// farther from 0. The larger, or smaller, of two leaves' numbers, one by one, are those of a leaf again; this is what clamping needs.
struct Excess {
  double raw;       // for m = 0
  double smoothed;  // for m = M

  bool operator==(Excess const&) const = default;
};

Excess excess_of(double const* counts, double prior) {
  double const n = counts[0] + counts[1];
  if (!(n > 0.0)) return {0.0, 0.0};
  double const raw = counts[1] / n - prior;
  return {raw, raw * (n / (n + most_leaf_weight))};
}

Excess larger(Excess const& a, Excess const& b) { return {std::max(a.raw, b.raw), std::max(a.smoothed, b.smoothed)}; }
Excess smaller(Excess const& a, Excess const& b) { return {std::min(a.raw, b.raw), std::min(a.smoothed, b.smoothed)}; }

// A leaf between two others, in both numbers.
Excess half_way(Excess const& a, Excess const& b) {
  double const raw = a.raw + (b.raw - a.raw) / 2.0;
  if ((a.raw >= 0.0) == (b.raw >= 0.0)) return {raw, a.smoothed + (b.smoothed - a.smoothed) / 2.0};
  // On both sides of the prior: as many cases as the one on whose side it lies.
  Excess const& near = (a.raw >= 0.0) == (raw >= 0.0) ? a : b;
  return {raw, near.raw == 0.0 ? 0.0 : near.smoothed * (raw / near.raw)};
}

struct Limits {
  Excess low{-INFINITY, -INFINITY};
  Excess high{INFINITY, INFINITY};

  Excess clamped(Excess const& excess) const { return smaller(larger(excess, low), high); }
};

class Restraint {
 public:
  Restraint(Tree const& tree, Signs signs, double prior)
      : tree_(tree), signs_(signs), prior_(prior), table_(node_table(tree)), leaves_(tree.leaf_stride()) {}

  Tree apply() {
    std::vector<Limits> limits(tree_.nodes.size());
    for (std::size_t i = 0; i < tree_.nodes.size(); ++i) {  // children come after their parents
      Node& node = result_.nodes[i];
      if (node.is_leaf()) {
        node.first_child = row_within(limits[i], tree_.leaf_row(node.first_child));
        continue;
      }
      visit_kind(node, 0, [&]<class Kind>(std::type_identity<Kind>) {
        if constexpr (requires { Kind::own_row(tree_, node); }) {
          CategoryList& list = result_.category_lists[node.pool_index()];
          list.leaf_row = row_within(limits[i], tree_.leaf_row(list.leaf_row));
        }
        divide(node, ways_of(Kind::read(tree_, node), signs_), limits[i], limits);
        return 0;
      });
    }
    result_.leaf_table = leaves_.take();
    return std::move(result_);
  }

 private:
  Excess excess_of_node(std::size_t node) const { return excess_of(table_.data() + node * tree_.leaf_stride(), prior_); }

  void divide(Node const& node, Ways ways, Limits const& own, std::vector<Limits>& limits) const {
    std::size_t const first = node.first_child;
    for (std::uint32_t c = 0; c < tree_.n_children(node); ++c) limits[first + c] = own;
    if (ways.are_free()) return;
    Excess const middle = half_way(own.clamped(excess_of_node(first)), own.clamped(excess_of_node(first + 1)));
    if (!ways.down) limits[first].high = limits[first + 1].low = middle;
    if (!ways.up) limits[first].low = limits[first + 1].high = middle;
  }

  // The same counts, or those of the leaf that they are clamped to; cases stay.
  std::uint32_t row_within(Limits const& limits, double const* row) {
    Excess const own = excess_of(row, prior_);
    Excess const kept = limits.clamped(own);
    double const n = row[0] + row[1];
    if (kept == own && n > 0.0) return leaves_.add({row, tree_.leaf_stride()});
    double const size = kept.raw == 0.0 ? (n > 0.0 ? n : 1.0) : size_of(kept);
    double const second = std::clamp(prior_ + kept.raw, 0.0, 1.0);
    return leaves_.add(std::vector<double>{size * (1.0 - second), size * second, row[2]});
  }

  // n from n / (n + M).
  static double size_of(Excess const& excess) {
    constexpr double almost_all = 1.0 - 1e-14;
    double const part = std::min(excess.smoothed / excess.raw, almost_all);
    return most_leaf_weight * part / (1.0 - part);
  }

  Tree const& tree_;
  Signs signs_;
  double prior_;
  std::vector<double> table_;
  LeafTable leaves_;
  Tree result_ = tree_;
};

}  // namespace

void check_signs(Signs signs, std::size_t n_classes, std::size_t n_features) {
  if (!signs.empty() && (n_classes != 2 || signs.size() != n_features))
    throw std::invalid_argument("monotone constraints need two classes and a sign per feature");
}

Tree restrained(Tree const& tree, Signs signs, double prior) {
  check_signs(signs, tree.n_classes, tree.n_features);
  if (!(0.0 <= prior && prior <= 1.0)) throw std::invalid_argument("the prior of a class is between 0 and 1");
  if (signs.empty()) return tree;
  return Restraint(tree, signs, prior).apply();
}

}  // namespace rarewood
