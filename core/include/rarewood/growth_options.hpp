// What may differ in the growth of one tree.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rarewood/dataset.hpp"
#include "rarewood/named.hpp"

namespace rarewood {

// best: every threshold or subset; random: n_cuts random ones per column; hyperplane: n_cuts random lines per pair of columns.
enum class Splitter { best, random, hyperplane };

template <>
struct Names<Splitter> {
  static constexpr std::string_view what = "splitter";
  static constexpr std::array<std::pair<std::string_view, Splitter>, 3> all{
      {{"best", Splitter::best}, {"random", Splitter::random}, {"hyperplane", Splitter::hyperplane}}};
};

// What a splitter reads of the columns.
inline Forms forms_read_by(Splitter splitter) {
  return splitter == Splitter::best ? Forms{.ranks = true, .values = false} : Forms{.ranks = false, .values = true};
}

// subset: two groups of categories; one_vs_rest: one category against the others; multiway: one child per category.
enum class NominalSplits { subset, one_vs_rest, multiway };

template <>
struct Names<NominalSplits> {
  static constexpr std::string_view what = "nominal";
  static constexpr std::array<std::pair<std::string_view, NominalSplits>, 3> all{
      {{"subset", NominalSplits::subset}, {"multiway", NominalSplits::multiway}, {"one_vs_rest", NominalSplits::one_vs_rest}}};
};

// Which of the waiting nodes is split next. No tree shows it; orders other than the first are there to prove that.
enum class GrowthOrder { depth_first, breadth_first, random };

template <>
struct Names<GrowthOrder> {
  static constexpr std::string_view what = "order";
  static constexpr std::array<std::pair<std::string_view, GrowthOrder>, 3> all{
      {{"depth_first", GrowthOrder::depth_first}, {"breadth_first", GrowthOrder::breadth_first}, {"random", GrowthOrder::random}}};
};

struct GrowthOptions {
  Splitter splitter = Splitter::best;
  std::size_t n_cuts = 10;
  std::size_t max_features = 0;    // features (hyperplane: pairs of them) tried per node; 0 = as many as there are
  std::size_t max_depth = 0;       // 0 = unlimited
  double min_samples_split = 2.0;  // cases
  double min_samples_leaf = 1.0;   // cases
  NominalSplits nominal = NominalSplits::subset;
  std::vector<std::int8_t> signs{};  // monotone.hpp; for two classes
  GrowthOrder order = GrowthOrder::depth_first;
  bool shortcuts = true;  // false: every candidate is scored, and rows are counted in the plain ways; no tree shows it, which proves them
};

}  // namespace rarewood
