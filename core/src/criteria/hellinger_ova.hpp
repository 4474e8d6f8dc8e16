// Hellinger distance, one class against the rest (Cieslak and Chawla, 2008; Hoens et al., 2012; Akash et al., 2019):
//   max_c sqrt( sum_t ( sqrt(n_tc/N_c) - sqrt((N_t - n_tc)/(N - N_c)) )^2 )        in [0, sqrt 2]
// over the classes c present at the node. Two classes: the plain Hellinger distance. Three: equal to criteria/hellinger.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "criteria/one_vs_rest.hpp"
#include "criteria/two_class_hellinger.hpp"
#include "rarewood/criterion.hpp"

namespace rarewood::criteria {

struct HellingerOVA {
  static constexpr std::string_view name = "hellinger_ova";
  static constexpr SearchTraits traits{.run_ends_suffice = true, .prefix_subset_is_best = true, .absent_classes_do_not_matter = true};

  struct AtNode {
    TwoClassHellinger two_classes;
    OneVsRest many_classes;
    std::vector<double> squared;  // per present class

    template <CountTable T>
    double operator()(T const& table) {
      if (table.classes() == 2) return std::sqrt(two_classes.squared(table));
      return squared.size() < 2 ? 0.0 : std::sqrt(largest_square(table));
    }

    template <CountTable T>
    double largest_square(T const& table) {
      std::fill(squared.begin(), squared.end(), 0.0);
      for (std::size_t t = 0; t < table.children(); ++t) {
        many_classes.read_child(table, t);
        for (std::size_t i = 0; i < squared.size(); ++i) {
          double const difference = std::sqrt(many_classes.of_class[i]) - std::sqrt(many_classes.of_rest[i]);
          squared[i] += difference * difference;
        }
      }
      return *std::max_element(squared.begin(), squared.end());
    }
  };

  AtNode at_node(Counts parent) const {
    if (parent.size() == 2) return {TwoClassHellinger(parent), {}, {}};
    AtNode node{TwoClassHellinger(parent), OneVsRest(parent), {}};
    node.squared.resize(node.many_classes.size());
    return node;
  }
};

}  // namespace rarewood::criteria
