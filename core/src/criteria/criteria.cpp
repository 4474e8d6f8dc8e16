#include "rarewood/criteria.hpp"

#include <algorithm>
#include <cstdio>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "criteria/alpha.hpp"
#include "criteria/c45.hpp"
#include "criteria/ccp.hpp"
#include "criteria/dcsm.hpp"
#include "criteria/dkm.hpp"
#include "criteria/entropy.hpp"
#include "criteria/gain_ratio.hpp"
#include "criteria/gini.hpp"
#include "criteria/hellinger.hpp"
#include "criteria/hellinger_ova.hpp"
#include "criteria/ihd.hpp"
#include "criteria/ihdw.hpp"

namespace rarewood {
namespace {

// Calls visit.operator()<C>() for every criterion: the one list of them.
template <class Visit>
void for_each_criterion(Visit visit) {
  using namespace criteria;
  [&]<Criterion... C>() {
    (visit.template operator()<C>(), ...);
  }.template operator()<Gini, Entropy, GainRatio, C45, Dkm, Hellinger, HellingerOVA, Alpha, IHD, IHDw, DCSM, CCPEntropy, CCPGini>();
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

// From the name and parameters to the criterion.
template <class C>
C criterion_of(CriterionSpec const&) {
  return C{};
}

criteria::AlphaReference alpha_reference(std::string const& name) {
  using enum criteria::AlphaReference;
  if (name == "marginal") return marginal;
  if (name == "uniform") return uniform;
  if (name == "flipped") return flipped;
  throw std::invalid_argument("reference must be 'marginal', 'uniform' or 'flipped', got " + quoted(name));
}

template <>
criteria::Alpha criterion_of<criteria::Alpha>(CriterionSpec const& spec) {
  auto const reference = alpha_reference(spec.reference);
  if (!(spec.alpha > 0.0 && spec.alpha <= 2.0)) throw std::invalid_argument("alpha must be in (0, 2], got " + number(spec.alpha));
  if (reference == criteria::AlphaReference::flipped && spec.alpha >= 1.0) {
    throw std::invalid_argument("alpha must be less than 1 with reference='flipped', got " + number(spec.alpha) +
                                ": from 1 on, every split with a pure child scores infinity");
  }
  return {spec.alpha, reference};
}

template <Criterion C, std::size_t Classes>
class ScorerOf final : public Scorer {
 public:
  explicit ScorerOf(C criterion) : criterion_(std::move(criterion)), node_(criterion_.at_node({})) {}

  SearchTraits traits() const override { return criterion_.traits; }
  void enter_node(Counts parent) override {
    if constexpr (requires { criterion_.enter(node_, parent); }) {
      criterion_.enter(node_, parent);
    } else {
      node_ = criterion_.at_node(parent);
    }
  }
  double score(DenseTable const& table) override { return node_(table); }
  std::unique_ptr<Scorer> clone() const override { return std::make_unique<ScorerOf>(criterion_); }

  void score(BinaryBatch const& batch, std::span<double> scores) override {
    double* __restrict const out = scores.data();  // without the promise every store could change node_
    for (std::size_t i = 0; i < batch.size; ++i) {
      out[i] = node_(BinaryTable<Classes>{batch.left + i, batch.right + i, batch.stride, batch.n_classes});
    }
  }

  bool has_bound() const override {
    if constexpr (Bounded<Node>) return node_.has_bound();
    return false;
  }
  void bound([[maybe_unused]] ScreenBatch const& batch, [[maybe_unused]] float* bounds) override {
    if constexpr (Bounded<Node>) node_.bound(batch, bounds);
  }

  RunningScore running_score() const override {
    if constexpr (Running<Node>) return node_.running_score();
    return {};
  }

 private:
  using Node = decltype(std::declval<C const&>().at_node({}));

  C criterion_;
  Node node_;
};

[[noreturn]] void unknown(std::string const& name) {
  std::string accepted;
  for (std::string const& known : criterion_names()) accepted += (accepted.empty() ? "" : ", ") + known;
  throw std::invalid_argument("unknown criterion " + quoted(name) + "; accepted are " + accepted);
}

// Calls use(criterion) with the criterion that `spec` describes.
template <class Use>
void with_criterion(CriterionSpec const& spec, Use use) {
  bool found = false;
  for_each_criterion([&]<class C>() {
    if (spec.name != C::name) return;
    found = true;
    use(criterion_of<C>(spec));
  });
  if (!found) unknown(spec.name);
}

}  // namespace

std::vector<std::string> criterion_names() {
  std::vector<std::string> names;
  for_each_criterion([&]<class C>() { names.emplace_back(C::name); });
  return names;
}

std::size_t most_enumerated_classes() { return criteria::Hellinger::most_enumerated_classes; }

SearchTraits criterion_traits(CriterionSpec const& spec) {
  SearchTraits traits;
  with_criterion(spec, [&](auto const& criterion) { traits = criterion.traits; });
  return traits;
}

std::unique_ptr<Scorer> make_scorer(CriterionSpec const& spec, std::size_t n_classes) {
  std::unique_ptr<Scorer> scorer;
  with_criterion(spec, [&]<class C>(C const& criterion) {
    std::size_t const most = criterion.traits.max_classes;
    if (most > 0 && n_classes > most) {
      throw std::invalid_argument("criterion " + quoted(spec.name) + " is defined for at most " + std::to_string(most) + " classes, got " +
                                  std::to_string(n_classes));
    }
    if (n_classes == 2) {
      scorer = std::make_unique<ScorerOf<C, 2>>(criterion);
    } else {
      scorer = std::make_unique<ScorerOf<C, dynamic>>(criterion);
    }
  });
  return scorer;
}

double score_table(Scorer& scorer, DenseTable const& table) {
  std::vector<double> parent(table.classes(), 0.0);
  for (std::size_t t = 0; t < table.children(); ++t) {
    for (std::size_t j = 0; j < table.classes(); ++j) parent[j] += table(t, j);
  }
  if (std::none_of(parent.begin(), parent.end(), [](double count) { return count > 0.0; })) return 0.0;
  scorer.enter_node(parent);
  return scorer.score(table);
}

}  // namespace rarewood
