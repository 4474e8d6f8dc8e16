// Class confidence proportion (Liu et al., 2010): an impurity decrease with class shares replaced by proportions of
// confidence, which do not depend on class sizes,
//   CC_t(j) = n_tj/N_j,  CC_t(not j) = (N_t - n_tj)/(N - N_j),  CCP_t(j) = CC_t(j) / (CC_t(j) + CC_t(not j)),
//   I(parent) - sum_t rho_t I(CCP_t)        >= 0 for two classes
// over the k classes present at the node, I = entropy in bits or the Gini index. With k > 2 the proportions do not sum to one
// and are divided by their sum; at the parent they are then 1/k each.
#pragma once

#include <cmath>

#include "criteria/information.hpp"
#include "criteria/one_vs_rest.hpp"
#include "criteria/per_class.hpp"
#include "rarewood/criterion.hpp"

namespace rarewood::criteria {

// Impurities of shares that sum to `sum`, from the sum of their terms.
struct CCPEntropyImpurity {
  static constexpr std::string_view name = "ccp_entropy";
  static double term(double share) { return times_log2(share, share); }
  static double of(double sum, double terms) { return std::log2(sum) - terms / sum; }
};

struct CCPGiniImpurity {
  static constexpr std::string_view name = "ccp_gini";
  static double term(double share) { return share * share; }
  static double of(double sum, double terms) { return 1.0 - terms / (sum * sum); }
};

template <class Impurity>
struct CCP {
  static constexpr std::string_view name = Impurity::name;
  static constexpr SearchTraits traits{.hellinger_breaks_ties = true, .absent_classes_do_not_matter = true};

  struct AtNode {
    double inverse_total;
    double parent_impurity;
    PerClass inverse_count;  // two classes: 1 / N_j
    OneVsRest one_vs_rest;   // more than two

    template <CountTable T>
    double operator()(T const& table) {
      double sum = 0.0;
      for (std::size_t t = 0; t < table.children(); ++t) {
        double const size = child_total(table, t);
        double const impurity = table.classes() == 2 ? of_two_classes(table, t) : of_many_classes(table, t);
        sum += size > 0.0 ? size * impurity : 0.0;
      }
      return parent_impurity - sum * inverse_total;
    }

    template <CountTable T>
    double of_two_classes(T const& table, std::size_t t) const {
      double const first = table(t, 0) * inverse_count[0];
      double const second = table(t, 1) * inverse_count[1];
      double const inverse_sum = 1.0 / (first + second);
      return Impurity::of(1.0, Impurity::term(first * inverse_sum) + Impurity::term(second * inverse_sum));
    }

    template <CountTable T>
    double of_many_classes(T const& table, std::size_t t) {
      one_vs_rest.read_child(table, t);
      double sum = 0.0;
      double terms = 0.0;
      for (std::size_t i = 0; i < one_vs_rest.size(); ++i) {
        double const confidence = one_vs_rest.of_class[i];
        double const proportion = confidence > 0.0 ? confidence / (confidence + one_vs_rest.of_rest[i]) : 0.0;
        sum += proportion;
        terms += Impurity::term(proportion);
      }
      return Impurity::of(sum, terms);
    }
  };

  AtNode at_node(Counts parent) const {
    double total = 0.0;
    double k = 0.0;
    for (double count : parent) {
      total += count;
      k += count > 0.0 ? 1.0 : 0.0;
    }
    AtNode node{1.0 / total, Impurity::of(1.0, k * Impurity::term(1.0 / k)), PerClass(parent.size()), {}};
    for (std::size_t j = 0; j < parent.size(); ++j) node.inverse_count[j] = inverse(parent[j]);
    if (parent.size() != 2) node.one_vs_rest = OneVsRest(parent);
    return node;
  }
};

using CCPEntropy = CCP<CCPEntropyImpurity>;
using CCPGini = CCP<CCPGiniImpurity>;

}  // namespace rarewood::criteria
