#include "search/splitters/exact_nominal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

namespace rarewood {

namespace {

constexpr std::size_t enumerate_up_to = 8;      // categories: 2^7 - 1 subsets
constexpr std::size_t bipartitions_up_to = 12;  // classes: 2^11 - 1 orders
constexpr Tag prefix_flag = Tag{1} << 63;       // prefix tags: flag | order << 32 | length; subset tags: bit mask; one_vs_rest: slot

}  // namespace

ColumnResult ExactNominalSplitter::consider(Request const& request, Candidates& candidates) {
  if (n_present() < 2) return ColumnResult::nothing_to_split();
  if (splits_ == NominalSplits::multiway) return {.best = score_multiway(request.min_cases, candidates)};
  candidates.begin_column(request);
  if (splits_ == NominalSplits::one_vs_rest) {
    propose_one_vs_rest(candidates);
  } else if (enumerate_subsets(request.min_cases)) {
    propose_subsets(candidates);
  } else {
    propose_prefixes(candidates);
  }
  return {.best = candidates.finish_column()};
}

// Two classes: one order is enough for most criteria, unless minimum sizes could forbid its prefixes. Otherwise try everything while that is cheap.
bool ExactNominalSplitter::enumerate_subsets(double min_cases) const {
  bool const one_order_is_enough = present_classes().size() <= 2 && traits_.prefix_subset_is_best && min_cases <= 1.0;
  return n_present() <= enumerate_up_to && !one_order_is_enough;
}

void ExactNominalSplitter::propose_one_vs_rest(Candidates& candidates) {
  for (std::size_t s = 0; s < n_present(); ++s) candidates.propose(counts(s), s);
}

// The last category stays right, so each bipartition comes once.
void ExactNominalSplitter::propose_subsets(Candidates& candidates) {
  std::vector<double> left(stride());
  for (Tag mask = 1; mask < Tag{1} << (n_present() - 1); ++mask) {
    std::fill(left.begin(), left.end(), 0.0);
    for (std::size_t s = 0; s < n_present(); ++s) {
      if ((mask >> s & 1U) == 0) continue;
      for (std::size_t j = 0; j < stride(); ++j) left[j] += counts(s)[j];
    }
    candidates.propose(left.data(), mask);
  }
}

void ExactNominalSplitter::propose_prefixes(Candidates& candidates) {
  std::vector<Order> const all = orders();
  std::vector<double> left(stride());
  for (std::size_t o = 0; o < all.size(); ++o) {
    std::vector<std::size_t> const slots = sorted_slots(all[o]);
    std::fill(left.begin(), left.end(), 0.0);
    for (std::size_t length = 1; length < slots.size(); ++length) {
      for (std::size_t j = 0; j < stride(); ++j) left[j] += counts(slots[length - 1])[j];
      candidates.propose(left.data(), prefix_flag | Tag{o} << 32 | length);
    }
  }
}

std::vector<std::size_t> ExactNominalSplitter::present_classes() const {
  std::vector<std::size_t> classes;
  for (std::size_t j = 0; j < data_.n_classes(); ++j) {
    if (table_.class_present(j)) classes.push_back(j);
  }
  return classes;
}

std::vector<ExactNominalSplitter::Order> ExactNominalSplitter::orders() const {
  std::vector<std::size_t> const classes = present_classes();
  std::vector<Order> orders;
  auto const add_group = [&](auto const& contains) {
    Order order{std::vector<char>(data_.n_classes(), 0)};
    for (std::size_t k = 0; k < classes.size(); ++k) order.in_group[classes[k]] = contains(k) ? 1 : 0;
    orders.push_back(std::move(order));
  };
  if (classes.size() <= 2) {
    add_group([](std::size_t k) { return k == 0; });
  } else if (traits_.sort_by_class_bipartitions && classes.size() <= bipartitions_up_to) {
    // The first class is always in the group; bit k of the mask says whether class k + 1 is out.
    for (std::size_t mask = 1; mask < std::size_t{1} << (classes.size() - 1); ++mask) {
      add_group([mask](std::size_t k) { return k == 0 || (mask >> (k - 1) & 1U) == 0; });
    }
  } else {
    for (std::size_t single = 0; single < classes.size(); ++single) {
      add_group([single](std::size_t k) { return k == single; });
    }
    orders.push_back({});
  }
  return orders;
}

std::vector<std::size_t> ExactNominalSplitter::sorted_slots(Order const& order) const {
  std::vector<double> key(n_present(), 0.0);
  if (order.in_group.empty()) {
    key = principal_component();
  } else {
    for (std::size_t s = 0; s < n_present(); ++s) {
      double group = 0.0;
      double total = 0.0;
      for (std::size_t j = 0; j < order.in_group.size(); ++j) {
        total += counts(s)[j];
        if (order.in_group[j] != 0) group += counts(s)[j];
      }
      key[s] = group / total;
    }
  }
  std::vector<std::size_t> slots(n_present());
  std::iota(slots.begin(), slots.end(), std::size_t{0});
  std::stable_sort(slots.begin(), slots.end(), [&](std::size_t a, std::size_t b) { return key[a] < key[b]; });
  return slots;
}

// Scores of the categories on the first principal component of their class shares, weighted by their size (Coppersmith, Hong, Hosking 1999).
std::vector<double> ExactNominalSplitter::principal_component() const {
  std::size_t const n_classes = data_.n_classes();
  std::vector<double> shares(n_present() * n_classes, 0.0);
  std::vector<double> sizes(n_present(), 0.0);
  std::vector<double> mean(n_classes, 0.0);
  double total = 0.0;
  for (std::size_t s = 0; s < n_present(); ++s) {
    for (std::size_t j = 0; j < n_classes; ++j) sizes[s] += counts(s)[j];
    for (std::size_t j = 0; j < n_classes; ++j) {
      shares[s * n_classes + j] = counts(s)[j] / sizes[s];
      mean[j] += counts(s)[j];
    }
    total += sizes[s];
  }
  for (double& m : mean) m /= total;
  for (std::size_t s = 0; s < n_present(); ++s) {
    for (std::size_t j = 0; j < n_classes; ++j) shares[s * n_classes + j] -= mean[j];
  }
  // Power iteration on the covariance without forming it.
  std::vector<double> direction(n_classes);
  for (std::size_t j = 0; j < n_classes; ++j) direction[j] = 1.0 / static_cast<double>(data_.class_number(j) + 1);
  std::vector<double> projected(n_present(), 0.0);
  for (int iteration = 0; iteration < 50; ++iteration) {
    std::vector<double> next(n_classes, 0.0);
    for (std::size_t s = 0; s < n_present(); ++s) {
      double const* row = shares.data() + s * n_classes;
      projected[s] = std::inner_product(direction.begin(), direction.end(), row, 0.0);
      for (std::size_t j = 0; j < n_classes; ++j) next[j] += sizes[s] * projected[s] * row[j];
    }
    double const norm = std::sqrt(std::inner_product(next.begin(), next.end(), next.begin(), 0.0));
    if (norm == 0.0) break;
    for (std::size_t j = 0; j < n_classes; ++j) direction[j] = next[j] / norm;
  }
  return projected;
}

BestCandidate ExactNominalSplitter::score_multiway(double min_cases, Candidates& candidates) const {
  std::size_t const n_classes = data_.n_classes();
  std::size_t large_enough = 0;
  for (std::size_t s = 0; s < n_present(); ++s) large_enough += counts(s)[n_classes] >= min_cases ? 1 : 0;
  if (large_enough < (traits_.quinlan_selection ? 2 : n_present())) return {};
  std::vector<double> table(n_present() * n_classes);
  for (std::size_t s = 0; s < n_present(); ++s) {
    for (std::size_t j = 0; j < n_classes; ++j)
      table[s * n_classes + j] = counts(s)[j] * (candidates.class_weights().empty() ? 1.0 : candidates.class_weights()[j]);
  }
  return candidates.score_whole({table.data(), n_present(), n_classes});
}

std::vector<char> ExactNominalSplitter::left_slots(Tag tag) const {
  std::vector<char> left(n_present(), 0);
  if (splits_ == NominalSplits::one_vs_rest) {
    left[tag] = 1;
  } else if ((tag & prefix_flag) != 0) {
    std::vector<std::size_t> const slots = sorted_slots(orders()[(tag & ~prefix_flag) >> 32]);
    for (std::size_t i = 0; i < (tag & 0xFFFFFFFFU); ++i) left[slots[i]] = 1;
  } else {
    for (std::size_t s = 0; s < n_present(); ++s) left[s] = static_cast<char>(tag >> s & 1U);
  }
  return left;
}

Split ExactNominalSplitter::split_of(NodeRows const& node, Request const& request, BestCandidate const& best) {
  counter_.count(node, request.feature, table_);
  if (splits_ == NominalSplits::multiway) {
    Branches::Split split{request.feature, table_.categories, table_.any_missing()};
    if (split.missing_seen) split.codes.pop_back();
    return split;
  }
  CategorySet::Split split{request.feature, {}, false};
  std::vector<char> const chosen = left_slots(best.tag);
  char const left = best.left_is_heavier() ? 0 : 1;
  for (std::size_t s = 0; s < n_present(); ++s) {
    if (chosen[s] != left) continue;
    if (table_.categories[s] == missing_code) {
      split.missing_left = true;
    } else {
      split.codes.push_back(table_.categories[s]);
    }
  }
  return split;
}

}  // namespace rarewood
