#include "search/splitters/placed_counting.hpp"

#include <algorithm>

#include "base/simd_dispatch.hpp"

namespace rarewood {

namespace {

constexpr std::size_t at_once = PlacedCounting::at_once;

// One column of the points and what the lines make of it.
struct Axis {
  PlacedAxis points;
  double const* weights;  // of the lines, for numbers
  double const* terms;    // of the slots
};

// term_a(i, line) + term_b(i, line) <= offset, for all lines of the group and points one after the other.
template <bool PlacedA, bool PlacedB, class Visit>
[[gnu::always_inline]] inline void for_each_point(Axis const& a, Axis const& b, std::size_t n, double const* offset, Visit visit) {
  double weight_a[at_once], weight_b[at_once], limit[at_once];
  for (std::size_t l = 0; l < at_once; ++l) {
    weight_a[l] = a.weights[l];
    weight_b[l] = b.weights[l];
    limit[l] = offset[l];
  }
  for (std::size_t i = 0; i < n; ++i) {
    double const number_a = PlacedA ? 0.0 : a.points.numbers[i];
    double const number_b = PlacedB ? 0.0 : b.points.numbers[i];
    double const* const terms_a = PlacedA ? a.terms + at_once * a.points.slots[i] : nullptr;
    double const* const terms_b = PlacedB ? b.terms + at_once * b.points.slots[i] : nullptr;
    visit(i, [&](std::size_t l) {
      double const of_a = PlacedA ? terms_a[l] : weight_a[l] * number_a;
      double const of_b = PlacedB ? terms_b[l] : weight_b[l] * number_b;
      return of_a + of_b <= limit[l];
    });
  }
}

template <bool PlacedA, bool PlacedB>
[[gnu::always_inline]] inline void count_points(Axis const& a, Axis const& b, std::size_t n, double const* offset, std::int64_t* counts) {
  std::int64_t at[at_once] = {};
  for_each_point<PlacedA, PlacedB>(a, b, n, offset, [&](std::size_t, auto is_left) {
#pragma omp simd
    for (std::size_t l = 0; l < at_once; ++l) at[l] += is_left(l) ? 1 : 0;
  });
  for (std::size_t l = 0; l < at_once; ++l) counts[l] = at[l];
}

template <bool PlacedA, bool PlacedB>
[[gnu::always_inline]] inline void add_points(Axis const& a, Axis const& b, std::size_t n, double const* offset, double const* weights,
                                              double* sums) {
  double at[at_once] = {};
  for_each_point<PlacedA, PlacedB>(a, b, n, offset, [&](std::size_t i, auto is_left) {
#pragma omp simd
    for (std::size_t l = 0; l < at_once; ++l) at[l] += is_left(l) ? weights[i] : 0.0;
  });
  for (std::size_t l = 0; l < at_once; ++l) sums[l] = at[l];
}

RAREWOOD_SIMD(void, count_any, (Axis const& a, Axis const& b, std::size_t n, double const* offset, std::int64_t* counts),
              (a, b, n, offset, counts)) {
  if (a.points.slots != nullptr && b.points.slots != nullptr) return count_points<true, true>(a, b, n, offset, counts);
  if (a.points.slots != nullptr) return count_points<true, false>(a, b, n, offset, counts);
  if (b.points.slots != nullptr) return count_points<false, true>(a, b, n, offset, counts);
  count_points<false, false>(a, b, n, offset, counts);
}

RAREWOOD_SIMD(void, add_any, (Axis const& a, Axis const& b, std::size_t n, double const* offset, double const* weights, double* sums),
              (a, b, n, offset, weights, sums)) {
  if (a.points.slots != nullptr && b.points.slots != nullptr) return add_points<true, true>(a, b, n, offset, weights, sums);
  if (a.points.slots != nullptr) return add_points<true, false>(a, b, n, offset, weights, sums);
  if (b.points.slots != nullptr) return add_points<false, true>(a, b, n, offset, weights, sums);
  add_points<false, false>(a, b, n, offset, weights, sums);
}

}  // namespace

void PlacedCounting::Terms::set(std::size_t line, double weight, std::span<Code const> in_order, std::uint32_t const* slot_of,
                                std::size_t n_slots) {
  if (of_slot.size() < (n_slots + 1) * at_once) of_slot.resize((n_slots + 1) * at_once);
  double* const to = of_slot.data() + line;
  for (std::size_t place = 0; place < in_order.size(); ++place)
    to[at_once * std::min<std::size_t>(slot_of[in_order[place]], n_slots)] = weight * static_cast<double>(place);
}

void PlacedCounting::count(PlacedAxis of_a, PlacedAxis of_b, std::size_t n, std::int64_t* counts) const {
  count_any({of_a, weight_a_, a.of_slot.data()}, {of_b, weight_b_, b.of_slot.data()}, n, offset_, counts);
}

void PlacedCounting::add_weights(PlacedAxis of_a, PlacedAxis of_b, std::size_t n, double const* weights, double* sums) const {
  add_any({of_a, weight_a_, a.of_slot.data()}, {of_b, weight_b_, b.of_slot.data()}, n, offset_, weights, sums);
}

void PlacedCounting::find_sides(std::size_t line, PlacedAxis of_a, PlacedAxis of_b, std::size_t n, std::uint8_t* sides) const {
  auto const term = [&](PlacedAxis axis, double weight, Terms const& terms, std::size_t i) {
    return axis.slots == nullptr ? weight * axis.numbers[i] : terms.of_slot[at_once * axis.slots[i] + line];
  };
  for (std::size_t i = 0; i < n; ++i)
    sides[i] = term(of_a, weight_a_[line], a, i) + term(of_b, weight_b_[line], b, i) <= offset_[line] ? 0 : 1;
}

}  // namespace rarewood
