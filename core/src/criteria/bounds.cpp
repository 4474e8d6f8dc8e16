#include "criteria/bounds.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/compilers.hpp"
#include "base/simd_dispatch.hpp"

namespace rarewood {

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

// Batcher's odd-even merge sort of K items: pairs to be compared and, if need be, exchanged.
template <std::size_t K>
struct SortingNetwork {
  std::array<std::pair<std::size_t, std::size_t>, K * K> pairs{};
  std::size_t size = 0;

  constexpr SortingNetwork() {
    for (std::size_t p = 1; p < K; p *= 2) {
      for (std::size_t k = p; k >= 1; k /= 2) {
        for (std::size_t j = k % p; j + k < K; j += 2 * k) {
          for (std::size_t i = 0; i < k && i + j + k < K; ++i) {
            if ((i + j) / (2 * p) == (i + j + k) / (2 * p)) pairs[size++] = {i + j, i + j + k};
          }
        }
      }
    }
  }
};

// One candidate: counts of the K present classes on the left and on the right. The least squared Bhattacharyya coefficient
//   ( sqrt(l1 l2) + sqrt(r1 r2) )^2 / (n1 n2)  =  ( l1 l2 + r1 r2 + 2 sqrt(l1 l2 r1 r2) ) / (n1 n2)
// of a bipartition; the squared Hellinger distance is 2 - 2 times its root. The best bipartition is a prefix of the classes sorted by l/r.
template <std::size_t K>
[[gnu::always_inline]] inline float least_coefficient(float (&l)[K], float (&r)[K]) {
  constexpr SortingNetwork<K> network;
  auto const put_in_order = [&](std::size_t a, std::size_t b) RAREWOOD_INLINED {
    float const la = l[a], ra = r[a], lb = l[b], rb = r[b];
    bool const exchange = lb * ra < la * rb;
    l[a] = exchange ? lb : la;
    r[a] = exchange ? rb : ra;
    l[b] = exchange ? la : lb;
    r[b] = exchange ? ra : rb;
  };
  [&]<std::size_t... I>(std::index_sequence<I...>)
      RAREWOOD_INLINED { (put_in_order(network.pairs[I].first, network.pairs[I].second), ...); }(std::make_index_sequence<network.size>{});
  float l_after[K], r_after[K];
  l_after[K - 1] = l[K - 1];
  r_after[K - 1] = r[K - 1];
#pragma GCC unroll 16
  for (std::size_t i = 2; i < K; ++i) {
    l_after[K - i] = l_after[K - i + 1] + l[K - i];
    r_after[K - i] = r_after[K - i + 1] + r[K - i];
  }
  float l_before = 0.0F, r_before = 0.0F, least = 1.0F;
#pragma GCC unroll 16
  for (std::size_t j = 0; j + 1 < K; ++j) {
    l_before += l[j];
    r_before += r[j];
    float const a = l_before * l_after[j + 1];
    float const b = r_before * r_after[j + 1];
    float const sizes = (l_before + r_before) * (l_after[j + 1] + r_after[j + 1]);
    float const coefficient = (a + b + 2.0F * std::sqrt(a * b)) / sizes;
    least = coefficient < least ? coefficient : least;
  }
  return least;
}

// Rounding moves the coefficient by less than 1e-6 of itself; so does taking classes whose ratios round to the same for equal.
template <std::size_t K>
[[gnu::always_inline]] inline void hellinger_of(ScreenBatch const& batch, float* __restrict bounds) {
  constexpr float low = 1.0F - 4e-6F;
  float const* columns[K];
  float totals[K], weights[K];
  for (std::size_t j = 0; j < K; ++j) {
    columns[j] = batch.left + batch.node.cls[j] * batch.stride;
    totals[j] = batch.node.total[j];
    weights[j] = batch.node.weight[j];
  }
  std::size_t const n = (batch.size + screen_lanes - 1) / screen_lanes * screen_lanes;
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    float l[K], r[K];
#pragma GCC unroll 16
    for (std::size_t j = 0; j < K; ++j) {
      float const count = columns[j][i];
      l[j] = count * weights[j];
      r[j] = (totals[j] - count) * weights[j];
    }
    float const distance = 2.0F - 2.0F * std::sqrt(least_coefficient<K>(l, r) * low);
    bounds[i] = std::sqrt(distance) * (1.0F + 1e-6F);
  }
}

// log2 of a positive normal number: m = the mantissa in [sqrt 1/2, sqrt 2) less 1, ln(1 + m) by a polynomial (Cephes, logf). Absolute error
// below 3e-7 times the larger of 1 and the result.
[[gnu::always_inline]] inline float quick_log2(float x) {
  std::int32_t const bits = std::bit_cast<std::int32_t>(x);
  std::int32_t const exponent = (bits - 0x3F3504F3) >> 23;
  float const m = std::bit_cast<float>(bits - (exponent << 23)) - 1.0F;
  float p = 7.0376836292e-2F;
  p = p * m - 1.1514610310e-1F;
  p = p * m + 1.1676998740e-1F;
  p = p * m - 1.2420140846e-1F;
  p = p * m + 1.4249322787e-1F;
  p = p * m - 1.6668057665e-1F;
  p = p * m + 2.0000714765e-1F;
  p = p * m - 2.4999993993e-1F;
  p = p * m + 3.3333331174e-1F;
  float const square = m * m;
  return static_cast<float>(exponent) + (m - 0.5F * square + p * square * m) * 1.44269504F;
}

// 2^x for |x| <= 100: the nearest whole number goes to the exponent, the rest through a polynomial. Relative error below 3e-7.
[[gnu::always_inline]] inline float quick_exp2(float x) {
  constexpr float rounder = 12582912.0F;  // 1.5 * 2^23: the sum has no room for a fraction
  float const clamped = x < -100.0F ? -100.0F : (x > 100.0F ? 100.0F : x);
  float const shifted = clamped + rounder;
  float const f = clamped - (shifted - rounder);
  float p = 1.5353362e-4F;
  p = p * f + 1.3398874e-3F;
  p = p * f + 9.6184373e-3F;
  p = p * f + 5.5503324e-2F;
  p = p * f + 2.4022648e-1F;
  p = p * f + 6.9314720e-1F;
  p = p * f + 1.0F;
  return std::bit_cast<float>(std::bit_cast<std::int32_t>(p) + (std::bit_cast<std::int32_t>(shifted) << 23));
}

constexpr float smallest = 1e-30F;

[[gnu::always_inline]] inline float not_zero(float x) { return x < smallest ? smallest : x; }
[[gnu::always_inline]] inline float times_own_log2(float x) { return x * quick_log2(not_zero(x)); }
[[gnu::always_inline]] inline float to_the(float x, float power) { return quick_exp2(power * quick_log2(not_zero(x))); }

// One number per candidate of a block, which stays in the first-level cache while the classes pass over it.
constexpr std::size_t block = 64;
struct alignas(32) Numbers {
  float of[block] = {};
};

// visit(first candidate, how many): the batch in blocks.
template <class Visit>
[[gnu::always_inline]] inline void in_blocks(ScreenBatch const& batch, Visit visit) {
  std::size_t const n = (batch.size + screen_lanes - 1) / screen_lanes * screen_lanes;
  for (std::size_t begin = 0; begin < n; begin += block) visit(begin, n - begin < block ? n - begin : block);
}

// visit(j, i, left, right): the share of the node's weight that is of present class j and left, or right, of candidate i of a block.
template <class Visit>
[[gnu::always_inline]] inline void each_share(ScreenBatch const& batch, std::size_t begin, std::size_t size, Visit visit) {
  for (std::size_t j = 0; j < batch.node.n_present; ++j) {
    float const* const counts = batch.left + batch.node.cls[j] * batch.stride + begin;
    float const total = batch.node.total[j];
    float const unit = batch.node.weight[j] * batch.node.inverse_size;
#pragma omp simd
    for (std::size_t i = 0; i < size; ++i) visit(j, i, counts[i] * unit, (total - counts[i]) * unit);
  }
}

// `information` for two present classes: nothing waits in memory between them.
template <class Finish>
[[gnu::always_inline]] inline void information_of_two(ScreenBatch const& batch, Finish finish) {
  float const* const first = batch.left + batch.node.cls[0] * batch.stride;
  float const* const second = batch.left + batch.node.cls[1] * batch.stride;
  float const first_total = batch.node.total[0], second_total = batch.node.total[1];
  float const first_unit = batch.node.weight[0] * batch.node.inverse_size, second_unit = batch.node.weight[1] * batch.node.inverse_size;
  std::size_t const n = (batch.size + screen_lanes - 1) / screen_lanes * screen_lanes;
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) {
    float const first_left = first[i] * first_unit, first_right = (first_total - first[i]) * first_unit;
    float const second_left = second[i] * second_unit, second_right = (second_total - second[i]) * second_unit;
    float const sum =
        (times_own_log2(first_left) + times_own_log2(first_right)) + (times_own_log2(second_left) + times_own_log2(second_right));
    float const sizes = times_own_log2(first_left + second_left) + times_own_log2(first_right + second_right);
    finish(i, sum - sizes, -sizes);
  }
}

// finish(candidate, sum, cost). sum: x log2 x of every class and child, less that of the children's sizes; cost: entropy of these sizes.
template <class Finish>
[[gnu::always_inline]] inline void information(ScreenBatch const& batch, Finish finish) {
  if (batch.node.n_present == 2) return information_of_two(batch, finish);
  in_blocks(batch, [&](std::size_t begin, std::size_t size) RAREWOOD_INLINED {
    Numbers sum, left_size, right_size;
    each_share(batch, begin, size, [&](std::size_t, std::size_t i, float left, float right) RAREWOOD_INLINED {
      left_size.of[i] += left;
      right_size.of[i] += right;
      sum.of[i] += times_own_log2(left) + times_own_log2(right);
    });
#pragma omp simd
    for (std::size_t i = 0; i < size; ++i) {
      float const sizes = times_own_log2(left_size.of[i]) + times_own_log2(right_size.of[i]);
      finish(begin + i, sum.of[i] - sizes, -sizes);
    }
  });
}

// Logarithms are off by 3e-7 of themselves, the shares they stand with add up to 2, and each class adds two more roundings.
float information_slack(ScreenBatch const& batch) { return 6e-6F + 1e-6F * static_cast<float>(batch.node.n_present); }

}  // namespace

RAREWOOD_SIMD(void, hellinger_bounds, (ScreenBatch const& batch, float* bounds), (batch, bounds)) {
  switch (batch.node.n_present) {
    case 2: return hellinger_of<2>(batch, bounds);
    case 3: return hellinger_of<3>(batch, bounds);
    case 4: return hellinger_of<4>(batch, bounds);
    case 5: return hellinger_of<5>(batch, bounds);
    case 6: return hellinger_of<6>(batch, bounds);
    case 7: return hellinger_of<7>(batch, bounds);
    case 8: return hellinger_of<8>(batch, bounds);
    case 9: return hellinger_of<9>(batch, bounds);
    case 10: return hellinger_of<10>(batch, bounds);
    case 11: return hellinger_of<11>(batch, bounds);
    case 12: return hellinger_of<12>(batch, bounds);
    case 13: return hellinger_of<13>(batch, bounds);
    case 14: return hellinger_of<14>(batch, bounds);
    case 15: return hellinger_of<15>(batch, bounds);
    default: return hellinger_of<16>(batch, bounds);
  }
}

RAREWOOD_SIMD(void, gini_bounds, (ScreenBatch const& batch, double purity, float* bounds), (batch, purity, bounds)) {
  float const known = 2e-6F + 4e-7F * static_cast<float>(batch.node.n_present) - static_cast<float>(purity);
  in_blocks(batch, [&](std::size_t begin, std::size_t size) RAREWOOD_INLINED {
    Numbers left_size, right_size, left_squares, right_squares;
    each_share(batch, begin, size, [&](std::size_t, std::size_t i, float left, float right) RAREWOOD_INLINED {
      left_size.of[i] += left;
      right_size.of[i] += right;
      left_squares.of[i] += left * left;
      right_squares.of[i] += right * right;
    });
#pragma omp simd
    for (std::size_t i = 0; i < size; ++i)
      bounds[begin + i] = left_squares.of[i] / not_zero(left_size.of[i]) + right_squares.of[i] / not_zero(right_size.of[i]) + known;
  });
}

RAREWOOD_SIMD(void, gain_bounds, (ScreenBatch const& batch, double entropy, float* bounds), (batch, entropy, bounds)) {
  float const known = static_cast<float>(entropy) + information_slack(batch);
  information(batch, [&](std::size_t i, float sum, float) RAREWOOD_INLINED { bounds[i] = known + sum; });
}

RAREWOOD_SIMD(void, gain_ratio_bounds, (ScreenBatch const& batch, double entropy, float* bounds), (batch, entropy, bounds)) {
  constexpr float slack = 2e-6F;
  float const known = static_cast<float>(entropy) + information_slack(batch);
  information(batch, [&](std::size_t i, float sum, float cost) RAREWOOD_INLINED {
    float const ratio = (known + sum) / (cost - slack) * (1.0F + 1e-6F);
    bounds[i] = cost > 2.0F * slack ? ratio : infinity;
  });
}

// Relative to the sum of n_tj/N (p_tj/q_j)^power, which is 1 + alpha (alpha - 1) times the score.
RAREWOOD_SIMD(void, alpha_bounds, (ScreenBatch const& batch, double power, std::span<float const> inverse_share, float* bounds),
              (batch, power, inverse_share, bounds)) {
  double const product = (power + 1.0) * power;
  float const p = static_cast<float>(power);
  float const scale = static_cast<float>(1.0 / product);
  float const slack = static_cast<float>(4e-6 / std::abs(product));
  auto const finish = [&](std::size_t i, float sum) RAREWOOD_INLINED { bounds[i] = scale * (sum - 1.0F) + slack * (1.0F + sum); };
  in_blocks(batch, [&](std::size_t begin, std::size_t size) RAREWOOD_INLINED {
    Numbers left_size, right_size, sum;
    each_share(batch, begin, size, [&](std::size_t, std::size_t i, float left, float right) RAREWOOD_INLINED {
      left_size.of[i] += left;
      right_size.of[i] += right;
    });
#pragma omp simd
    for (std::size_t i = 0; i < size; ++i) {
      left_size.of[i] = 1.0F / not_zero(left_size.of[i]);
      right_size.of[i] = 1.0F / not_zero(right_size.of[i]);
    }
    each_share(batch, begin, size, [&](std::size_t j, std::size_t i, float left, float right) RAREWOOD_INLINED {
      float const inverse = inverse_share[j];
      sum.of[i] += left * to_the(left * left_size.of[i] * inverse, p) + right * to_the(right * right_size.of[i] * inverse, p);
    });
#pragma omp simd
    for (std::size_t i = 0; i < size; ++i) finish(begin + i, sum.of[i]);
  });
}

// In each child a (a/b)^power + b (b/a)^power, and nothing where one of the two classes is absent.
RAREWOOD_SIMD(void, flipped_alpha_bounds, (ScreenBatch const& batch, double power, float* bounds), (batch, power, bounds)) {
  double const product = (power + 1.0) * power;
  float const p = static_cast<float>(power);
  float const scale = static_cast<float>(1.0 / product);
  float const slack = static_cast<float>(4e-6 / std::abs(product));
  auto const child = [p](float a, float b) RAREWOOD_INLINED {
    bool const both = a > 0.0F && b > 0.0F;
    float const ratio = to_the((both ? a : 1.0F) / (both ? b : 1.0F), p);
    return both ? a * ratio + b / ratio : 0.0F;
  };
  in_blocks(batch, [&](std::size_t begin, std::size_t size) RAREWOOD_INLINED {
    Numbers left[2], right[2];
    each_share(batch, begin, size, [&](std::size_t j, std::size_t i, float l, float r) RAREWOOD_INLINED {
      left[j].of[i] = l;
      right[j].of[i] = r;
    });
#pragma omp simd
    for (std::size_t i = 0; i < size; ++i) {
      float const sum = child(left[0].of[i], left[1].of[i]) + child(right[0].of[i], right[1].of[i]);
      bounds[begin + i] = scale * (sum - 1.0F) + slack * (1.0F + sum);
    }
  });
}

}  // namespace rarewood
