// The table of class counts that describes one split: one row per child, one column per class.
// Counts may be weighted and fractional. Views only; nothing here owns memory or knows where the counts come from.
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

namespace rarewood {

inline constexpr std::size_t dynamic = std::dynamic_extent;

using Counts = std::span<double const>;  // class counts of one node or child

// What a criterion may ask of a table. `t(child, cls)` is a count >= 0.
template <class T>
concept CountTable = requires(T const t, std::size_t i) {
  { t.children() } -> std::same_as<std::size_t>;
  { t.classes() } -> std::same_as<std::size_t>;
  { t(i, i) } -> std::same_as<double>;
};

// Children x classes, row-major, any number of children.
struct DenseTable {
  double const* counts;
  std::size_t n_children;
  std::size_t n_classes;

  std::size_t children() const { return n_children; }
  std::size_t classes() const { return n_classes; }
  double operator()(std::size_t child, std::size_t cls) const { return counts[child * n_classes + cls]; }
};

// Two children of one candidate inside a batch stored class by class: `stride` is the capacity of the batch.
// With a static number of classes the loops of a criterion unroll and whole batches vectorise.
template <std::size_t Classes = dynamic>
struct BinaryTable {
  double const* left;
  double const* right;
  std::size_t stride;
  std::size_t n_classes;

  static constexpr std::size_t children() { return 2; }
  constexpr std::size_t classes() const {
    if constexpr (Classes != dynamic) return Classes;
    return n_classes;
  }
  double operator()(std::size_t child, std::size_t cls) const { return (child == 0 ? left : right)[cls * stride]; }
};

template <CountTable T>
double child_total(T const& table, std::size_t child) {
  double total = 0.0;
  for (std::size_t j = 0; j < table.classes(); ++j) total += table(child, j);
  return total;
}

}  // namespace rarewood
