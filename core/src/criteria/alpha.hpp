// Alpha divergence of the children from a reference distribution q (Park and Ghosh, 2011), in nats, 0 < alpha <= 2:
//   sum_t rho_t D_alpha(p_t || q),  D_alpha(p || q) = (1 - sum_j p_j^alpha q_j^(1 - alpha)) / (alpha (1 - alpha))        >= 0
// with limit KL(p || q) at alpha = 1. Reference: the parent's shares (marginal), 1/K (uniform), or for two classes
// the child's own shares exchanged (flipped, alpha < 1). Computed as
//   sum_{p_j > 0} p_j expm1((alpha - 1) ln(p_j/q_j)) / (alpha (alpha - 1)),
// which stays exact near alpha = 1.
#pragma once

#include <algorithm>
#include <cmath>

#include "criteria/bounds.hpp"
#include "criteria/per_class.hpp"
#include "rarewood/criterion.hpp"

namespace rarewood::criteria {

enum class AlphaReference { marginal, uniform, flipped };

struct Alpha {
  static constexpr std::string_view name = "alpha";

  double alpha;
  AlphaReference reference;
  SearchTraits traits;

  Alpha(double alpha_, AlphaReference reference_)
      : alpha(alpha_),
        reference(reference_),
        traits{.run_ends_suffice = true,
               .prefix_subset_is_best = true,
               .no_split_scores_zero = reference_ == AlphaReference::marginal,
               .absent_classes_do_not_matter = reference_ == AlphaReference::marginal,
               .max_classes = reference_ == AlphaReference::flipped ? 2u : 0u} {}

  struct AtNode {
    double power;  // alpha - 1
    double scale;  // 1 / (N alpha (alpha - 1)), at the limit 1 / N; 0 at a node of one class
    bool flipped;
    PerClass inverse_share;                 // 1 / q_j, unless flipped
    std::vector<float> inverse_of_present;  // the same of the classes present, unless flipped

    template <CountTable T>
    double operator()(T const& table) const {
      double sum = 0.0;
      for (std::size_t t = 0; t < table.children(); ++t) sum += flipped ? from_exchanged(table, t) : from_reference(table, t);
      return scale * sum;
    }

    template <CountTable T>
    double from_reference(T const& table, std::size_t t) const {
      double const inverse_size = 1.0 / child_total(table, t);
      double sum = 0.0;
      for (std::size_t j = 0; j < table.classes(); ++j) {
        if (table(t, j) > 0.0) sum += table(t, j) * change(table(t, j) * inverse_size * inverse_share[j]);
      }
      return sum;
    }

    template <CountTable T>
    double from_exchanged(T const& table, std::size_t t) const {
      if (table.classes() != 2) return 0.0;
      double const first = table(t, 0);
      double const second = table(t, 1);
      if (!(first > 0.0) || !(second > 0.0)) return -(first + second);  // q_j = 0 < p_j: expm1(-inf)
      return first * change(first / second) + second * change(second / first);
    }

    // Near alpha = 1 float32 would not tell candidates apart.
    bool has_bound() const { return scale != 0.0 && std::abs(power) > 0.02; }
    void bound(ScreenBatch const& batch, float* bounds) const {
      if (flipped) return flipped_alpha_bounds(batch, power, bounds);
      alpha_bounds(batch, power, inverse_of_present, bounds);
    }

    // ratio^power - 1, and for power = 0 the slope in power. alpha = 1/2 and alpha = 2 need no logarithm; away from power = 0
    // exp is accurate enough, and quicker than expm1.
    double change(double ratio) const {
      if (power == -0.5) return 1.0 / std::sqrt(ratio) - 1.0;
      if (power == 1.0) return ratio - 1.0;
      double const log_ratio = std::log(ratio);
      if (power == 0.0) return log_ratio;
      return std::abs(power) < 0.05 ? std::expm1(power * log_ratio) : std::exp(power * log_ratio) - 1.0;
    }
  };

  AtNode at_node(Counts parent) const {
    double total = 0.0;
    for (double count : parent) total += count;
    bool const mixed = std::count_if(parent.begin(), parent.end(), [](double count) { return count > 0.0; }) > 1;
    double const scale = mixed ? 1.0 / (total * (alpha == 1.0 ? 1.0 : alpha * (alpha - 1.0))) : 0.0;
    AtNode node{alpha - 1.0, scale, reference == AlphaReference::flipped, PerClass(parent.size()), {}};
    for (std::size_t j = 0; j < parent.size(); ++j) {
      node.inverse_share[j] = reference == AlphaReference::uniform ? static_cast<double>(parent.size()) : total * inverse(parent[j]);
      if (parent[j] > 0.0) node.inverse_of_present.push_back(static_cast<float>(node.inverse_share[j]));
    }
    return node;
  }
};

}  // namespace rarewood::criteria
