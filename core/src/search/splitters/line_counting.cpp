#include "search/splitters/line_counting.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/simd_dispatch.hpp"

namespace rarewood {

namespace {

constexpr std::size_t at_once = 4;   // lines in one pass over the points; their counters fit the vector registers
constexpr std::size_t few = 16;      // points, up to which all lines pass over a point instead
constexpr std::size_t block = 2048;  // points that stay in the first-level cache while all lines pass over them

// The number itself, or the largest one below it. Of finite numbers; without a branch that nobody could foresee.
[[gnu::always_inline]] inline double perhaps_below(double x, bool really) {
  auto const bits = std::bit_cast<std::int64_t>(x);
  std::int64_t const step = really ? (bits < 0 ? -1 : 1) : 0;  // sizes of negative numbers grow downwards
  double const below_zero = really ? -std::numeric_limits<double>::denorm_min() : x;
  return x == 0.0 ? below_zero : std::bit_cast<double>(bits - step);
}

// Of n points, from those on the counted side of each line to those left of it.
RAREWOOD_SIMD(void, flip, (std::int32_t const* flipped, std::int32_t n, std::size_t n_lines, std::int32_t* counts),
              (flipped, n, n_lines, counts)) {
  for (std::size_t k = 0; k < n_lines; ++k) counts[k] = flipped[k] != 0 ? n - counts[k] : counts[k];
}

// Of a few points: all lines pass over a point, then over the next.
template <class T>
[[gnu::always_inline]] inline void count_points(double const* __restrict slopes, double const* __restrict bounds, std::size_t n_lines,
                                                T const* a, T const* b, std::size_t n, std::int32_t* __restrict counts) {
  for (std::size_t k = 0; k < n_lines; ++k) counts[k] = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double const at_a = static_cast<double>(a[i]), at_b = static_cast<double>(b[i]);
    for (std::size_t k = 0; k < n_lines; ++k) counts[k] += slopes[k] * at_a + at_b <= bounds[k] ? 1 : 0;
  }
}

RAREWOOD_SIMD(void, count_few,
              (double const* slopes, double const* bounds, std::size_t n_lines, float const* a, float const* b, std::size_t n,
               std::int32_t* counts),
              (slopes, bounds, n_lines, a, b, n, counts)) {
  count_points(slopes, bounds, n_lines, a, b, n, counts);
}
RAREWOOD_SIMD(void, count_few,
              (double const* slopes, double const* bounds, std::size_t n_lines, double const* a, double const* b, std::size_t n,
               std::int32_t* counts),
              (slopes, bounds, n_lines, a, b, n, counts)) {
  count_points(slopes, bounds, n_lines, a, b, n, counts);
}

template <class T>
[[gnu::always_inline]] inline std::int32_t count_line(double slope, double bound, T const* a, T const* b, std::size_t n) {
  std::int32_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += slope * static_cast<double>(a[i]) + static_cast<double>(b[i]) <= bound ? 1 : 0;
  return count;
}

RAREWOOD_SIMD(std::int32_t, count_one, (double slope, double bound, float const* a, float const* b, std::size_t n),
              (slope, bound, a, b, n)) {
  return count_line(slope, bound, a, b, n);
}
RAREWOOD_SIMD(std::int32_t, count_one, (double slope, double bound, double const* a, double const* b, std::size_t n),
              (slope, bound, a, b, n)) {
  return count_line(slope, bound, a, b, n);
}

RAREWOOD_SIMD(void, count_four,
              (double const* slopes, double const* bounds, double const* a, double const* b, std::size_t n, std::int32_t* counts),
              (slopes, bounds, a, b, n, counts)) {
  double const slope_0 = slopes[0], slope_1 = slopes[1], slope_2 = slopes[2], slope_3 = slopes[3];
  double const bound_0 = bounds[0], bound_1 = bounds[1], bound_2 = bounds[2], bound_3 = bounds[3];
  std::int64_t count_0 = 0, count_1 = 0, count_2 = 0, count_3 = 0;  // as wide as the cells: no lanes are moved in the loop
  for (std::size_t i = 0; i < n; ++i) {
    count_0 += slope_0 * a[i] + b[i] <= bound_0 ? 1 : 0;
    count_1 += slope_1 * a[i] + b[i] <= bound_1 ? 1 : 0;
    count_2 += slope_2 * a[i] + b[i] <= bound_2 ? 1 : 0;
    count_3 += slope_3 * a[i] + b[i] <= bound_3 ? 1 : 0;
  }
  counts[0] = static_cast<std::int32_t>(count_0);
  counts[1] = static_cast<std::int32_t>(count_1);
  counts[2] = static_cast<std::int32_t>(count_2);
  counts[3] = static_cast<std::int32_t>(count_3);
}

// counts: those surely below each bound; doubtful: those that may be, too.
RAREWOOD_SIMD(void, count_four,
              (float const* slopes, float const* sure, float const* possible, float const* a, float const* b, std::size_t n,
               std::int32_t* counts, std::int32_t* doubtful),
              (slopes, sure, possible, a, b, n, counts, doubtful)) {
  float const slope_0 = slopes[0], slope_1 = slopes[1], slope_2 = slopes[2], slope_3 = slopes[3];
  float const sure_0 = sure[0], sure_1 = sure[1], sure_2 = sure[2], sure_3 = sure[3];
  float const possible_0 = possible[0], possible_1 = possible[1], possible_2 = possible[2], possible_3 = possible[3];
  std::int32_t count_0 = 0, count_1 = 0, count_2 = 0, count_3 = 0;
  std::int32_t most_0 = 0, most_1 = 0, most_2 = 0, most_3 = 0;
  for (std::size_t i = 0; i < n; ++i) {
    float const at_0 = slope_0 * a[i] + b[i], at_1 = slope_1 * a[i] + b[i];
    float const at_2 = slope_2 * a[i] + b[i], at_3 = slope_3 * a[i] + b[i];
    count_0 += at_0 <= sure_0 ? 1 : 0;
    most_0 += at_0 <= possible_0 ? 1 : 0;
    count_1 += at_1 <= sure_1 ? 1 : 0;
    most_1 += at_1 <= possible_1 ? 1 : 0;
    count_2 += at_2 <= sure_2 ? 1 : 0;
    most_2 += at_2 <= possible_2 ? 1 : 0;
    count_3 += at_3 <= sure_3 ? 1 : 0;
    most_3 += at_3 <= possible_3 ? 1 : 0;
  }
  counts[0] = count_0;
  counts[1] = count_1;
  counts[2] = count_2;
  counts[3] = count_3;
  doubtful[0] = most_0 - count_0;
  doubtful[1] = most_1 - count_1;
  doubtful[2] = most_2 - count_2;
  doubtful[3] = most_3 - count_3;
}

// The arrays of LineCounting; bounds are still those of lines that have not been flipped.
struct Lines {
  double const* slopes;
  double* bounds;
  std::int32_t const* flipped;
  float* narrow_slopes;
  float* sure;
  float* possible;
};

// In floats, slope * a + b errs by less than 3 u (|slope| most_a + most_b), u = 2^-24 (the slope, the product and the sum are rounded
// once each; terms in u^2 are small beside the fourth u), and the bound by u times itself; double precision errs by 2^-29 of that.
RAREWOOD_SIMD(void, prepare, (std::size_t n, double most_a, double most_b, Lines lines), (n, most_a, most_b, lines)) {
  constexpr double unit = 0x1p-24;
  constexpr double largest = 0x1p120;    // below, nothing overflows;
  constexpr double smallest = 0x1p-100;  // above, what underflow can add is small beside the fourth u
  constexpr float infinity = std::numeric_limits<float>::infinity();
#pragma omp simd
  for (std::size_t k = 0; k < n; ++k) {
    double const slope = lines.slopes[k];
    double const bound = perhaps_below(lines.bounds[k], lines.flipped[k] != 0);
    double const size = std::abs(slope) * most_a + most_b + std::abs(bound);
    bool const fits = (size < largest) & (size > smallest) & (std::abs(slope) < largest) & (std::abs(slope) > smallest);
    double const margin = 4.0 * unit * size;
    lines.bounds[k] = bound;
    lines.narrow_slopes[k] = fits ? static_cast<float>(slope) : 0.0F;
    lines.sure[k] = fits ? static_cast<float>(bound - margin) : -infinity;
    lines.possible[k] = fits ? static_cast<float>(bound + margin) : infinity;
  }
}

}  // namespace

// A line weight_a * a - b <= offset has its rows on the other side of -weight_a * a + b < -offset: changing the sign of a number is exact,
// so no row changes sides.
void LineCounting::set(std::span<Line const> all, std::span<std::size_t const> numbers, double most_a, double most_b) {
  n_lines_ = numbers.size();
  make_room(n_lines_);
  for (std::size_t k = 0; k < n_lines_; ++k) {
    Line const& line = all[numbers[k]];
    slopes_[k] = line.weight_a * line.weight_b;
    bounds_[k] = line.offset * line.weight_b;
    flipped_[k] = line.weight_b < 0.0 ? 1 : 0;
  }
  prepare(n_lines_, most_a, most_b,
          {slopes_.data(), bounds_.data(), flipped_.data(), narrow_slopes_.data(), sure_.data(), possible_.data()});
}

void LineCounting::make_room(std::size_t n_lines) {
  if (n_lines <= slopes_.size()) return;
  std::size_t const size = (n_lines + at_once - 1) / at_once * at_once;
  slopes_.resize(size);
  bounds_.resize(size);
  flipped_.resize(size);
  narrow_slopes_.resize(size);
  sure_.resize(size);
  possible_.resize(size);
}

template <class T>
void LineCounting::count(T const* a, T const* b, std::size_t n, std::int32_t* counts) const {
  if (n <= few) {
    count_few(slopes_.data(), bounds_.data(), n_lines_, a, b, n, counts);
  } else {
    std::fill(counts, counts + n_lines_, 0);
    for (std::size_t begin = 0; begin < n; begin += block) count_block(a + begin, b + begin, std::min(block, n - begin), counts);
  }
  flip(flipped_.data(), static_cast<std::int32_t>(n), n_lines_, counts);
}

template <class T>
void LineCounting::count_block(T const* a, T const* b, std::size_t n, std::int32_t* counts) const {
  for (std::size_t k = 0; k < n_lines_; k += at_once) {
    std::size_t const n_real = std::min(at_once, n_lines_ - k);
    std::int32_t found[at_once];
    if (n_real == 1) {
      found[0] = count_one(slopes_[k], bounds_[k], a, b, n);
    } else if constexpr (std::is_same_v<T, float>) {
      std::int32_t doubtful[at_once];
      count_four(narrow_slopes_.data() + k, sure_.data() + k, possible_.data() + k, a, b, n, found, doubtful);
      for (std::size_t i = 0; i < n_real; ++i) {
        if (doubtful[i] != 0) found[i] = count_one(slopes_[k + i], bounds_[k + i], a, b, n);
      }
    } else {
      count_four(slopes_.data() + k, bounds_.data() + k, a, b, n, found);
    }
    for (std::size_t i = 0; i < n_real; ++i) counts[k + i] += found[i];
  }
}

template void LineCounting::count(float const*, float const*, std::size_t, std::int32_t*) const;
template void LineCounting::count(double const*, double const*, std::size_t, std::int32_t*) const;

}  // namespace rarewood
