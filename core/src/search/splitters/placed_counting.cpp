#include "search/splitters/placed_counting.hpp"

#include <type_traits>

#include "base/compilers.hpp"
#include "base/four.hpp"
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

// visit(i, f, flags): of point after point and four after four, term_a(i, line) + term_b(i, line) <= offset for the first lines of the group.
template <bool PlacedA, bool PlacedB, std::size_t NFours, class Visit>
[[gnu::always_inline]] inline void for_each_point(Axis const& a, Axis const& b, std::size_t n, double const* offset, Visit visit) {
  Four weight_a[NFours], weight_b[NFours], limit[NFours];
  for (std::size_t f = 0; f < NFours; ++f) {
    load(a.weights + 4 * f, weight_a[f]);
    load(b.weights + 4 * f, weight_b[f]);
    load(offset + 4 * f, limit[f]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t f = 0; f < NFours; ++f) {
      Four of_a, of_b;
      if constexpr (PlacedA) {
        load(a.terms + at_once * a.points.codes[i] + 4 * f, of_a);
      } else {
        of_a = weight_a[f] * a.points.numbers[i];
      }
      if constexpr (PlacedB) {
        load(b.terms + at_once * b.points.codes[i] + 4 * f, of_b);
      } else {
        of_b = weight_b[f] * b.points.numbers[i];
      }
      visit(i, f, of_a + of_b <= limit[f]);
    }
  }
}

template <bool PlacedA, bool PlacedB, std::size_t NFours>
[[gnu::always_inline]] inline void count_points(Axis const& a, Axis const& b, std::size_t n, double const* offset, double* counts) {
  FourFlags at[NFours] = {};
  for_each_point<PlacedA, PlacedB, NFours>(
      a, b, n, offset, [&](std::size_t, std::size_t f, FourFlags const& is_left) RAREWOOD_INLINED { at[f] -= is_left; });
  for (std::size_t l = 0; l < 4 * NFours; ++l) counts[l] = static_cast<double>(at[l / 4][l % 4]);
}

template <bool PlacedA, bool PlacedB, std::size_t NFours>
[[gnu::always_inline]] inline void add_points(Axis const& a, Axis const& b, std::size_t n, double const* offset, double const* weights,
                                              double* sums) {
  Four at[NFours] = {};
  for_each_point<PlacedA, PlacedB, NFours>(a, b, n, offset, [&](std::size_t i, std::size_t f, FourFlags const& is_left) RAREWOOD_INLINED {
    add_where(is_left, weights[i], at[f]);
  });
  for (std::size_t l = 0; l < 4 * NFours; ++l) sums[l] = at[l / 4][l % 4];
}

// visit(kinds of the columns, how many fours) as constants: eight lines share the look-ups of a point, a last few are four.
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
  if (n_lines > 4) return of(std::integral_constant<std::size_t, at_once / 4>());
  of(std::integral_constant<std::size_t, 1>());
}

RAREWOOD_SIMD(void, count_any, (std::size_t n_lines, Axis const& a, Axis const& b, std::size_t n, double const* offset, double* counts),
              (n_lines, a, b, n, offset, counts)) {
  with_constants(n_lines, a, b, [&](auto placed_a, auto placed_b, auto fours) RAREWOOD_INLINED {
    count_points<placed_a, placed_b, fours>(a, b, n, offset, counts);
  });
}

RAREWOOD_SIMD(void, add_any,
              (std::size_t n_lines, Axis const& a, Axis const& b, std::size_t n, double const* offset, double const* weights, double* sums),
              (n_lines, a, b, n, offset, weights, sums)) {
  with_constants(n_lines, a, b, [&](auto placed_a, auto placed_b, auto fours) RAREWOOD_INLINED {
    add_points<placed_a, placed_b, fours>(a, b, n, offset, weights, sums);
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
