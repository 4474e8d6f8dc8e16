// Screening: an upper bound on the scores of a batch of candidates, in float32 and many at a time, so that only those that can still win
// need their exact score. A criterion offers a bound by two more members of what `at_node` returns (concept Bounded).
//
// The promise: bound >= score, whatever the counts. How much larger it may be only costs time, so trees do not depend on it.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rarewood/count_table.hpp"

namespace rarewood {

inline constexpr std::size_t most_screened_classes = 32;
inline constexpr std::size_t screen_lanes = 8;  // a bound may read and write so many candidates beyond the last

// What bounds want to know of a node whose counts are whole numbers that float32 holds.
struct ScreenNode {
  std::size_t n_present = 0;                             // classes with rows at the node
  std::array<std::uint32_t, most_screened_classes> cls;  // which
  std::array<float, most_screened_classes> total;        // their counts, before class weights
  std::array<float, most_screened_classes> weight;       // class weights
  float inverse_size = 0.0F;                             // 1 / the sum of weighted counts

  // totals: class counts before class weights, then cases. False, if counts or weights are too many or too far apart for float32; counts
  // have to be whole.
  bool enter(Counts totals, std::span<double const> class_weights, double weighted_size);
};

// Left-hand counts before class weights: of class j in candidate i at left[j * stride + i]. Those of absent classes mean nothing.
struct ScreenBatch {
  ScreenNode const& node;
  float const* left;
  std::size_t stride;
  std::size_t size;
};

// A score that can be kept up to date from cut to cut, where counts are whole and class weights 1:
//   logs     (sum of x log2 x over the children's class counts - the same of their sizes + offset) * scale
//   squares  (sum over the children of their squared class counts / their size + offset) * scale
struct RunningScore {
  enum class Kind { none, logs, squares };

  Kind kind = Kind::none;
  double offset = 0.0;
  double scale = 1.0;

  static double const* x_log2_x();  // of whole numbers, up to any count of a node that offers `logs`
};

// has_bound: whether there is one at this node, and it is quicker than the score.
template <class N>
concept Bounded = requires(N const node, ScreenBatch const& batch, float* bounds) {
  { node.has_bound() } -> std::same_as<bool>;
  { node.bound(batch, bounds) } -> std::same_as<void>;
};

// Offers one: also running_score() -> RunningScore.
template <class N>
concept Running = Bounded<N> && requires(N const node) {
  { node.running_score() } -> std::same_as<RunningScore>;
};

}  // namespace rarewood
