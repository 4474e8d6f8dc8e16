// A forest to grow: on which rows, by which criteria and options, from which seed. Each option is named here and once in the bindings.
// The rows of every tree follow from the plan, so what a forest says of rows it did not see is asked with the plan it was grown by.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "rarewood/growth_options.hpp"
#include "rarewood/scorer.hpp"

namespace rarewood {

// all: every row. bootstrap: as many draws with replacement as rows. stratified: the same inside each class, so none is ever lost.
// balanced: as many draws from each class as the smallest has rows. subsample: class_sizes[j] rows of class j, without replacement.
enum class Sampling { all, bootstrap, stratified, balanced, subsample };

template <>
struct Names<Sampling> {
  static constexpr std::string_view what = "sampling";
  static constexpr std::array<std::pair<std::string_view, Sampling>, 5> all{{{"all", Sampling::all},
                                                                             {"bootstrap", Sampling::bootstrap},
                                                                             {"stratified", Sampling::stratified},
                                                                             {"balanced", Sampling::balanced},
                                                                             {"subsample", Sampling::subsample}}};
};

// Numbers of someone else, which `owner` keeps alive: plans share them instead of copying.
template <class T>
struct Shared {
  std::span<T const> values{};
  std::shared_ptr<void const> owner{};

  operator std::span<T const>() const { return values; }  // what is meant wherever they are used
  bool empty() const { return values.empty(); }
  std::size_t size() const { return values.size(); }
  T operator[](std::size_t i) const { return values[i]; }
};

// A criterion for so many classes.
using MakeScorer = std::function<std::unique_ptr<Scorer>(std::size_t n_classes)>;

struct ForestPlan {
  std::vector<MakeScorer> criteria;              // different ones
  std::vector<std::uint32_t> criterion_of_tree;  // tree -> its criterion; empty: all have the first
  GrowthOptions growth{};
  std::size_t n_trees = 1;
  std::size_t first_tree = 0;  // number of the first tree: continues a forest grown before with the same seed
  std::uint64_t seed = 0;
  Sampling sampling = Sampling::all;
  std::vector<std::size_t> class_sizes{};  // for Sampling::subsample, one per class
  std::vector<std::int32_t> class_map{};   // Dataset::relabelled; empty: the classes as they are
  Shared<double> weights{};                // in the caller's row order, empty = 1; they multiply the number of times a row was drawn
  Shared<double> class_weights{};          // one per class, empty = 1
  Shared<std::uint32_t> groups{};          // of each row, in the caller's row order: a tree sees or leaves out all rows of a group
  std::vector<std::size_t> strata{};       // sizes of the strata, by which groups are numbered; a tree leaves out a fifth of each

  // Number of the criterion of a tree.
  std::size_t criterion_of(std::size_t tree) const { return criterion_of_tree.empty() ? 0 : criterion_of_tree[tree]; }

  // The same forest from tree `first` on: what is left to grow of it.
  ForestPlan rest(std::size_t first) const;

  // Throws std::invalid_argument when the plan makes no sense on any table.
  void check() const;
};

}  // namespace rarewood
