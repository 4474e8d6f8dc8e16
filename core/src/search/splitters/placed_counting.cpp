#include "search/splitters/placed_counting.hpp"

#include <type_traits>

#include "base/compilers.hpp"
#include "base/simd_dispatch.hpp"

namespace rarewood {

namespace {

constexpr std::size_t at_once = PlacedCounting::at_once;

// One column of the points and what the lines make of it.
struct Axis {
  PlacedAxis points;
  double const* weights;  // of the lines, for numbers
  double const* terms;    // of the categories
};

// term_a(i, line) + term_b(i, line) <= offset, for the first lines of the group and points one after the other.
template <bool PlacedA, bool PlacedB, std::size_t NLines, class Visit>
[[gnu::always_inline]] inline void for_each_point(Axis const& a, Axis const& b, std::size_t n, double const* offset, Visit visit) {
  double weight_a[NLines], weight_b[NLines], limit[NLines];
  for (std::size_t l = 0; l < NLines; ++l) {
    weight_a[l] = a.weights[l];
    weight_b[l] = b.weights[l];
    limit[l] = offset[l];
  }
  for (std::size_t i = 0; i < n; ++i) {
    double const number_a = PlacedA ? 0.0 : a.points.numbers[i];
    double const number_b = PlacedB ? 0.0 : b.points.numbers[i];
    double const* const terms_a = PlacedA ? a.terms + at_once * a.points.codes[i] : nullptr;
    double const* const terms_b = PlacedB ? b.terms + at_once * b.points.codes[i] : nullptr;
    visit(i, [&](std::size_t l) {
      double const of_a = PlacedA ? terms_a[l] : weight_a[l] * number_a;
      double const of_b = PlacedB ? terms_b[l] : weight_b[l] * number_b;
      return of_a + of_b <= limit[l];
    });
  }
}

template <bool PlacedA, bool PlacedB, std::size_t NLines>
[[gnu::always_inline]] inline void count_points(Axis const& a, Axis const& b, std::size_t n, double const* offset, double* counts) {
  std::int64_t at[NLines] = {};
  for_each_point<PlacedA, PlacedB, NLines>(a, b, n, offset, [&](std::size_t, auto is_left) {
#pragma omp simd
    for (std::size_t l = 0; l < NLines; ++l) at[l] += is_left(l) ? 1 : 0;
  });
  for (std::size_t l = 0; l < NLines; ++l) counts[l] = static_cast<double>(at[l]);
}

template <bool PlacedA, bool PlacedB, std::size_t NLines>
[[gnu::always_inline]] inline void add_points(Axis const& a, Axis const& b, std::size_t n, double const* offset, double const* weights,
                                              double* sums) {
  double at[NLines] = {};
  for_each_point<PlacedA, PlacedB, NLines>(a, b, n, offset, [&](std::size_t i, auto is_left) {
#pragma omp simd
    for (std::size_t l = 0; l < NLines; ++l) at[l] += is_left(l) ? weights[i] : 0.0;
  });
  for (std::size_t l = 0; l < NLines; ++l) sums[l] = at[l];
}

// visit(kinds of the columns, how many lines) as constants: eight lines share the look-ups of a point, a last few are four.
template <class Visit>
[[gnu::always_inline]] inline void with_constants(std::size_t n_lines, Axis const& a, Axis const& b, Visit visit) {
  auto const of = [&](auto n) RAREWOOD_INLINED {
    constexpr std::bool_constant<true> placed;
    constexpr std::bool_constant<false> numbers;
    if (a.points.codes != nullptr && b.points.codes != nullptr) return visit(placed, placed, n);
    if (a.points.codes != nullptr) return visit(placed, numbers, n);
    if (b.points.codes != nullptr) return visit(numbers, placed, n);
    visit(numbers, numbers, n);
  };
  if (n_lines > 4) return of(std::integral_constant<std::size_t, at_once>());
  of(std::integral_constant<std::size_t, 4>());
}

RAREWOOD_SIMD(void, count_any, (std::size_t n_lines, Axis const& a, Axis const& b, std::size_t n, double const* offset, double* counts),
              (n_lines, a, b, n, offset, counts)) {
  with_constants(n_lines, a, b, [&](auto placed_a, auto placed_b, auto lines) RAREWOOD_INLINED {
    count_points<placed_a, placed_b, lines>(a, b, n, offset, counts);
  });
}

RAREWOOD_SIMD(void, add_any,
              (std::size_t n_lines, Axis const& a, Axis const& b, std::size_t n, double const* offset, double const* weights, double* sums),
              (n_lines, a, b, n, offset, weights, sums)) {
  with_constants(n_lines, a, b, [&](auto placed_a, auto placed_b, auto lines) RAREWOOD_INLINED {
    add_points<placed_a, placed_b, lines>(a, b, n, offset, weights, sums);
  });
}

}  // namespace

void PlacedCounting::Terms::set(std::size_t line, double weight, std::span<Code const> in_order) {
  double* const to = of_category.data() + line;
  for (std::size_t place = 0; place < in_order.size(); ++place) to[at_once * in_order[place]] = weight * static_cast<double>(place);
}

void PlacedCounting::count(std::size_t n_lines, PlacedAxis of_a, PlacedAxis of_b, std::size_t n, double* counts) const {
  count_any(n_lines, {of_a, weight_a_, a.of_category.data()}, {of_b, weight_b_, b.of_category.data()}, n, offset_, counts);
}

void PlacedCounting::add_weights(std::size_t n_lines, PlacedAxis of_a, PlacedAxis of_b, std::size_t n, double const* weights,
                                 double* sums) const {
  add_any(n_lines, {of_a, weight_a_, a.of_category.data()}, {of_b, weight_b_, b.of_category.data()}, n, offset_, weights, sums);
}

void PlacedCounting::find_sides(std::size_t line, PlacedAxis of_a, PlacedAxis of_b, std::size_t n, std::uint8_t* sides) const {
  auto const term = [&](PlacedAxis axis, double weight, Terms const& terms, std::size_t i) {
    return axis.codes == nullptr ? weight * axis.numbers[i] : terms.of_category[at_once * axis.codes[i] + line];
  };
  for (std::size_t i = 0; i < n; ++i)
    sides[i] = term(of_a, weight_a_[line], a, i) + term(of_b, weight_b_[line], b, i) <= offset_[line] ? 0 : 1;
}

}  // namespace rarewood
