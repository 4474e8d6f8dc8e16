// Hellinger distance (Cieslak and Chawla, 2008), and for more than two classes its largest value over all bipartitions
// {C1, C2} of the classes present at the node (Hoens et al., 2012):
//   max sqrt( sum_t ( sqrt(n_t,C1/N_C1) - sqrt(n_t,C2/N_C2) )^2 )        in [0, sqrt 2]
// With two children the best C1 is a prefix of the classes sorted by n_left/n_right, so k - 1 of the 2^(k-1) - 1
// bipartitions suffice, exactly (proof: docs/decisions/0001-multiclass-hellinger.md). With more children all are enumerated
// up to 12 classes, and one class stands against the rest beyond.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "criteria/best_bipartition.hpp"
#include "criteria/bounds.hpp"
#include "criteria/hellinger_ova.hpp"
#include "criteria/two_class_hellinger.hpp"
#include "rarewood/criterion.hpp"

namespace rarewood::criteria {

struct Hellinger {
  static constexpr std::string_view name = "hellinger";
  static constexpr SearchTraits traits{
      .run_ends_suffice = true, .prefix_subset_is_best = true, .sort_by_class_bipartitions = true, .absent_classes_do_not_matter = true};
  static constexpr std::size_t most_enumerated_classes = 12;

  struct AtNode {
    Counts parent;
    TwoClassHellinger two_classes;
    // Empty when there are only two classes. Keeps the order of the last table: neighbouring cuts differ little.
    std::vector<std::size_t> present;
    bool exact_products;  // of any two counts
    std::vector<double> work;

    template <CountTable T>
    double operator()(T const& table) {
      if (table.classes() == 2) return std::sqrt(two_classes.squared(table));
      if (present.size() < 2) return 0.0;
      if (table.children() == 2) return std::sqrt(best_prefix(table));
      if (present.size() > most_enumerated_classes) return HellingerOVA{}.at_node(parent)(table);
      return std::sqrt(BestBipartition(table, present).squared());
    }

    template <CountTable T>
    double best_prefix(T const& table) {
      sort_by_left_fraction(table);
      std::size_t const k = present.size();
      double* __restrict const left = work.data();  // of the prefix that ends with class i
      double* __restrict const right = left + k;
      double* __restrict const left_after = right + k;  // of the classes behind it
      double* __restrict const right_after = left_after + k;
      double left_sum = 0.0, right_sum = 0.0;
      for (std::size_t i = k; i-- > 0;) {
        left_after[i] = left_sum;
        right_after[i] = right_sum;
        left_sum += left[i];
        right_sum += right[i];
      }
      left_sum = right_sum = 0.0;
      for (std::size_t i = 0; i < k; ++i) {
        left[i] = left_sum += left[i];
        right[i] = right_sum += right[i];
      }
      for (std::size_t i = 0; i + 1 < k; ++i) left[i] = squared(left[i], right[i], left_after[i], right_after[i]);
      return *std::max_element(left, left + k - 1);
    }

    // Leaves the counts of the classes in `work`, in their new order: left, then right.
    // Products, unlike fractions, tell classes apart at both ends; the index settles ties, so that the result does not
    // depend on the order we start from, unless products round: then it is always the same order.
    // Classes of neighbouring cuts move little. Where they move far, as between random cuts, many of them are sorted anew.
    template <CountTable T>
    void sort_by_left_fraction(T const& table) {
      if (!exact_products) std::sort(present.begin(), present.end());
      std::size_t const k = present.size();
      std::size_t const far = exact_products ? 16 * k : std::numeric_limits<std::size_t>::max();
      double* const left = work.data();
      double* const right = left + k;
      std::size_t moved = 0;
      for (std::size_t i = 0; i < k && moved <= far; ++i) {
        Share const share{table(0, present[i]), table(1, present[i]), present[i]};
        std::size_t at = i;
        for (; at > 0 && !Share{left[at - 1], right[at - 1], present[at - 1]}.is_before(share); --at) {
          left[at] = left[at - 1];
          right[at] = right[at - 1];
          present[at] = present[at - 1];
        }
        left[at] = share.left;
        right[at] = share.right;
        present[at] = share.cls;
        moved += i - at;
      }
      if (moved <= far) return;
      std::sort(present.begin(), present.end(),
                [&](std::size_t a, std::size_t b) { return Share{table(0, a), table(1, a), a}.is_before({table(0, b), table(1, b), b}); });
      for (std::size_t i = 0; i < k; ++i) {
        left[i] = table(0, present[i]);
        right[i] = table(1, present[i]);
      }
    }
    struct Share {
      double left, right;
      std::size_t cls;

      bool is_before(Share const& other) const {
        double const own = left * other.right;
        double const others = other.left * right;
        return others < own || (others == own && cls < other.cls);
      }
    };

    // Two classes of a problem of two are scored as fast as they are bounded.
    bool has_bound() const { return present.size() >= 2 && present.size() <= most_sorted_classes; }
    void bound(ScreenBatch const& batch, float* bounds) const { hellinger_bounds(batch, bounds); }

    static double squared(double left1, double right1, double left2, double right2) {
      double const size1 = left1 + right1;
      double const size2 = left2 + right2;
      double const left = std::sqrt(left1 * size2) - std::sqrt(left2 * size1);
      double const right = std::sqrt(right1 * size2) - std::sqrt(right2 * size1);
      return (left * left + right * right) / (size1 * size2);
    }
  };

  AtNode at_node(Counts parent) const {
    AtNode node{parent, TwoClassHellinger(parent), {}, true, {}};
    if (parent.size() != 2) enter(node, parent);
    return node;
  }

  // Like `at_node`, in the memory of another node, which saves allocations: small nodes are many.
  static void enter(AtNode& node, Counts parent) {
    constexpr double most = 1 << 26;  // products of whole numbers below are exact
    node.parent = parent;
    node.two_classes = TwoClassHellinger(parent);
    node.present.clear();
    node.exact_products = true;
    for (std::size_t j = 0; parent.size() != 2 && j < parent.size(); ++j) {
      if (parent[j] > 0.0) node.present.push_back(j);
      node.exact_products = node.exact_products && parent[j] == std::floor(parent[j]) && parent[j] < most;
    }
    if (node.work.size() < 4 * node.present.size()) node.work.resize(4 * node.present.size());
  }
};

}  // namespace rarewood::criteria
