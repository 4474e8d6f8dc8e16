#include "predict/vector_descent.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

#include "base/simd_dispatch.hpp"
#include "rarewood/predict.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define RAREWOOD_AVX2 __attribute__((target("avx2")))
#define RAREWOOD_AVX2_INLINE __attribute__((target("avx2"), always_inline)) inline
#endif

namespace rarewood {

namespace {

#ifdef RAREWOOD_AVX2

constexpr int lanes = 8;
constexpr int levels_between_looks = 3;  // at who has arrived

// For each set of lanes their numbers, ascending, a byte each.
constexpr std::array<std::uint64_t, 256> chosen_lanes = [] {
  std::array<std::uint64_t, 256> result{};
  for (unsigned set = 0; set < 256; ++set) {
    int shift = 0;
    for (std::uint64_t lane = 0; lane < lanes; ++lane) {
      if ((set >> lane & 1U) == 0) continue;
      result[set] |= lane << shift;
      shift += 8;
    }
  }
  return result;
}();

// Writes the chosen lanes to where `to` points, and something behind them.
RAREWOOD_AVX2_INLINE void store_lanes(std::uint32_t* to, __m256i numbers, __m256i order) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(numbers, order));
}
RAREWOOD_AVX2_INLINE __m256i order_of(unsigned set) {
  return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(static_cast<long long>(chosen_lanes[set])));
}

RAREWOOD_AVX2_INLINE __m256i load(std::uint32_t const* from) { return _mm256_loadu_si256(reinterpret_cast<__m256i const*>(from)); }
RAREWOOD_AVX2_INLINE void store(std::uint32_t* to, __m256i numbers) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), numbers); }
RAREWOOD_AVX2_INLINE __m256 joined(__m128 low, __m128 high) { return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1); }
RAREWOOD_AVX2_INLINE __m256d joined(__m128d low, __m128d high) { return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1); }
// The even, or the odd, 32-bit parts of eight pairs: those of lanes 0, 1, 4, 5 and those of lanes 2, 3, 6, 7.
RAREWOOD_AVX2_INLINE __m256 evens(__m256d a, __m256d b) { return _mm256_shuffle_ps(_mm256_castpd_ps(a), _mm256_castpd_ps(b), 0x88); }
RAREWOOD_AVX2_INLINE __m256 odds(__m256d a, __m256d b) { return _mm256_shuffle_ps(_mm256_castpd_ps(a), _mm256_castpd_ps(b), 0xDD); }
// All ones where bit `bit` is set.
RAREWOOD_AVX2_INLINE __m256i spread(__m256i numbers, int bit) { return _mm256_srai_epi32(_mm256_slli_epi32(numbers, 31 - bit), 31); }

RAREWOOD_AVX2_INLINE __m256i joined(__m128i low, __m128i high) { return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1); }
RAREWOOD_AVX2_INLINE __m128i look_up_four(std::uint32_t const* words, std::uint32_t const* at) {
  __m128i const one = _mm_cvtsi32_si128(static_cast<int>(words[at[0]]));
  __m128i const two = _mm_insert_epi32(one, static_cast<int>(words[at[1]]), 1);
  __m128i const three = _mm_insert_epi32(two, static_cast<int>(words[at[2]]), 2);
  return _mm_insert_epi32(three, static_cast<int>(words[at[3]]), 3);
}
RAREWOOD_AVX2_INLINE __m256i look_up(std::uint32_t const* words, std::uint32_t const* at) {
  return joined(look_up_four(words, at), look_up_four(words, at + 4));
}
// The numbers of lanes 0, 1, 4, 5 and of lanes 2, 3, 6, 7, cut to whole ones; what does not fit is 2**31.
RAREWOOD_AVX2_INLINE __m256i codes_of(__m256d some, __m256d others) {
  __m128i const a = _mm256_cvttpd_epi32(some);
  __m128i const b = _mm256_cvttpd_epi32(others);
  return joined(_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b));
}
// Which lanes go right by their sets of categories: lanes `are_sets`, whose slots have these beginnings and log2 of sizes. `places` is room.
RAREWOOD_AVX2_INLINE __m256i right_by_sets(std::uint32_t const* words, __m256i codes, __m256i are_sets, __m256i begin, __m256i size_log2,
                                           std::uint32_t* places) {
  __m256i const last = _mm256_sub_epi32(_mm256_sllv_epi32(_mm256_set1_epi32(32), size_log2), _mm256_set1_epi32(1));
  __m256i const bit = _mm256_min_epu32(codes, last);
  store(places, _mm256_and_si256(_mm256_add_epi32(begin, _mm256_srli_epi32(bit, 5)), are_sets));
  __m256i const word = look_up(words, places);
  __m256i const top = _mm256_sllv_epi32(word, _mm256_andnot_si256(bit, _mm256_set1_epi32(31)));
  return _mm256_and_si256(_mm256_srai_epi32(top, 31), are_sets);
}

// Eight rows at their nodes: one level down; the marks of those that arrive are known after.
struct NarrowLanes {
  using CompactNode = NarrowNode;
  using Cell = float;
  static constexpr int groups = 4;  // of lanes that descend side by side
  static constexpr bool know_categories = true;

  __m256 threshold;

  template <Meets meets>
  RAREWOOD_AVX2_INLINE __m256i ahead(CompactNode const* nodes, std::uint32_t const* words, Cell const* rows, std::uint32_t const* at,
                                     __m256i begin, std::uint32_t* cells) {
    __m256d const some = joined(two(nodes + at[0], nodes + at[1]), two(nodes + at[4], nodes + at[5]));
    __m256d const others = joined(two(nodes + at[2], nodes + at[3]), two(nodes + at[6], nodes + at[7]));
    threshold = evens(some, others);
    __m256i const where = _mm256_castps_si256(odds(some, others));
    store(cells, _mm256_add_epi32(begin, _mm256_and_si256(where, _mm256_set1_epi32(CompactNode::missing_right - 1))));
    __m256 const x = joined(four(rows, cells), four(rows, cells + 4));
    __m256i right = _mm256_castps_si256(_mm256_cmp_ps(x, threshold, _CMP_GT_OQ));
    if constexpr (meets != Meets::finite) {
      __m256i const missing = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
      if constexpr (meets == Meets::categories) {
        __m256i const bits = _mm256_castps_si256(threshold);
        __m256i const are_sets = _mm256_and_si256(_mm256_srai_epi32(bits, 31), are_nan());
        __m256i const slot = _mm256_and_si256(bits, _mm256_set1_epi32(CompactNode::mark_bits));
        __m256i const size = _mm256_and_si256(slot, _mm256_set1_epi32((1 << CompactNode::slot_size_bits) - 1));
        __m256i const by_sets =
            right_by_sets(words, _mm256_cvttps_epi32(x), are_sets, _mm256_srli_epi32(slot, CompactNode::slot_size_bits), size, cells);
        right = _mm256_or_si256(right, _mm256_andnot_si256(missing, by_sets));
      }
      right = _mm256_or_si256(right, _mm256_and_si256(missing, spread(where, CompactNode::feature_bits)));
    }
    return _mm256_sub_epi32(_mm256_srli_epi32(where, CompactNode::feature_bits + 1), right);
  }
  RAREWOOD_AVX2_INLINE unsigned arrived() const {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_andnot_ps(threshold, _mm256_castsi256_ps(are_nan()))));
  }
  RAREWOOD_AVX2_INLINE __m256i mark() const {
    return _mm256_and_si256(_mm256_castps_si256(threshold), _mm256_set1_epi32(CompactNode::mark_bits));
  }

 private:
  RAREWOOD_AVX2_INLINE __m256i are_nan() const { return _mm256_castps_si256(_mm256_cmp_ps(threshold, threshold, _CMP_UNORD_Q)); }
  RAREWOOD_AVX2_INLINE static __m128d two(CompactNode const* first, CompactNode const* second) {
    return _mm_loadh_pd(_mm_load_sd(reinterpret_cast<double const*>(first)), reinterpret_cast<double const*>(second));
  }
  RAREWOOD_AVX2_INLINE static __m128 four(float const* rows, std::uint32_t const* cell) {
    __m128 const one = _mm_load_ss(rows + cell[0]);
    __m128 const two = _mm_insert_ps(one, _mm_load_ss(rows + cell[1]), 0x10);
    __m128 const three = _mm_insert_ps(two, _mm_load_ss(rows + cell[2]), 0x20);
    return _mm_insert_ps(three, _mm_load_ss(rows + cell[3]), 0x30);
  }
};

struct WideLanes {
  using CompactNode = WideNode;
  using Cell = double;
  static constexpr int groups = 2;
  static constexpr bool know_categories = true;

  __m256d some_thresholds;   // lanes 0, 1, 4, 5
  __m256d other_thresholds;  // lanes 2, 3, 6, 7

  template <Meets meets>
  RAREWOOD_AVX2_INLINE __m256i ahead(CompactNode const* nodes, std::uint32_t const* words, Cell const* rows, std::uint32_t const* at,
                                     __m256i begin, std::uint32_t* cells) {
    std::array<__m128d, lanes> node;
    for (std::size_t lane = 0; lane < lanes; ++lane) node[lane] = _mm_loadu_pd(reinterpret_cast<double const*>(nodes + at[lane]));
    some_thresholds = joined(_mm_unpacklo_pd(node[0], node[1]), _mm_unpacklo_pd(node[4], node[5]));
    other_thresholds = joined(_mm_unpacklo_pd(node[2], node[3]), _mm_unpacklo_pd(node[6], node[7]));
    __m256d const some = joined(_mm_unpackhi_pd(node[0], node[1]), _mm_unpackhi_pd(node[4], node[5]));
    __m256d const others = joined(_mm_unpackhi_pd(node[2], node[3]), _mm_unpackhi_pd(node[6], node[7]));
    __m256i const feature = _mm256_castps_si256(evens(some, others));
    store(cells, _mm256_add_epi32(begin, _mm256_and_si256(feature, _mm256_set1_epi32(CompactNode::missing_right - 1))));
    __m256d const some_x = joined(two(rows, cells), two(rows, cells + 4));
    __m256d const other_x = joined(two(rows, cells + 2), two(rows, cells + 6));
    __m256i right = compared<_CMP_GT_OQ>(some_x, some_thresholds, other_x, other_thresholds);
    if constexpr (meets != Meets::finite) {
      __m256i const missing = compared<_CMP_UNORD_Q>(some_x, some_x, other_x, other_x);
      if constexpr (meets == Meets::categories) {
        __m256i const slot = mark();
        __m256i const are_sets = _mm256_and_si256(are_nan(), signs());
        __m256i const by_sets = right_by_sets(words, codes_of(some_x, other_x), are_sets, _mm256_srli_epi32(slot, 5),
                                              _mm256_and_si256(slot, _mm256_set1_epi32(31)), cells);
        right = _mm256_or_si256(right, _mm256_andnot_si256(missing, by_sets));
      }
      right = _mm256_or_si256(right, _mm256_and_si256(missing, spread(feature, Node::feature_bits)));
    }
    return _mm256_sub_epi32(_mm256_castps_si256(odds(some, others)), right);
  }
  RAREWOOD_AVX2_INLINE unsigned arrived() const {
    return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_andnot_si256(signs(), are_nan()))));
  }
  RAREWOOD_AVX2_INLINE __m256i mark() const { return _mm256_castps_si256(evens(some_thresholds, other_thresholds)); }

 private:
  RAREWOOD_AVX2_INLINE __m256i are_nan() const {
    return compared<_CMP_UNORD_Q>(some_thresholds, some_thresholds, other_thresholds, other_thresholds);
  }
  RAREWOOD_AVX2_INLINE __m256i signs() const { return _mm256_srai_epi32(_mm256_castps_si256(odds(some_thresholds, other_thresholds)), 31); }
  RAREWOOD_AVX2_INLINE static __m128d two(double const* rows, std::uint32_t const* cell) {
    return _mm_loadh_pd(_mm_load_sd(rows + cell[0]), rows + cell[1]);
  }
  template <int Comparison>
  RAREWOOD_AVX2_INLINE static __m256i compared(__m256d some_a, __m256d some_b, __m256d other_a, __m256d other_b) {
    return _mm256_castps_si256(evens(_mm256_cmp_pd(some_a, some_b, Comparison), _mm256_cmp_pd(other_a, other_b, Comparison)));
  }
};

// Lines, with places of categories if Node is a PlacedNode.
template <class T, class Node>
struct SlantedLanes {
  using CompactNode = Node;
  using Cell = T;
  static constexpr int groups = 2;
  static constexpr bool know_categories = std::is_same_v<Node, PlacedNode>;

  __m256d some_offsets, other_offsets;  // lanes 0, 1, 4, 5 and 2, 3, 6, 7

  template <Meets meets>
  RAREWOOD_AVX2_INLINE __m256i ahead(CompactNode const* nodes, std::uint32_t const* words, Cell const* rows, std::uint32_t const* at,
                                     __m256i begin, std::uint32_t* cells) {
    __m256d some_a, some_b, some, other_a, other_b, others;  // weights, and what else nodes hold
    read(nodes, at, some_a, some_b, some_offsets, some);
    read(nodes, at + 2, other_a, other_b, other_offsets, others);
    __m256i const feature = _mm256_castps_si256(evens(some, others));
    store(cells, _mm256_add_epi32(begin, _mm256_and_si256(feature, _mm256_set1_epi32(0xFFFF))));
    __m256d some_x = four(rows, cells);
    __m256d other_x = four(rows, cells + 2);
    store(cells, _mm256_add_epi32(begin, _mm256_srli_epi32(feature, 16)));
    __m256d some_y = four(rows, cells);
    __m256d other_y = four(rows, cells + 2);
    __m256i missing, unseen;
    if constexpr (meets != Meets::finite)
      missing = _mm256_castps_si256(evens(_mm256_cmp_pd(some_x, some_y, _CMP_UNORD_Q), _mm256_cmp_pd(other_x, other_y, _CMP_UNORD_Q)));
    if constexpr (meets == Meets::categories) {
      __m256d const some_slots = joined(slots(nodes, at), slots(nodes, at + 4));
      __m256d const other_slots = joined(slots(nodes, at + 2), slots(nodes, at + 6));
      unseen = place(words, _mm256_castps_si256(evens(some_slots, other_slots)), some_x, other_x, cells);
      unseen = _mm256_or_si256(unseen, place(words, _mm256_castps_si256(odds(some_slots, other_slots)), some_y, other_y, cells));
    }
    __m256d const some_right = right_of<meets>(some_a, some_x, some_b, some_y, some_offsets);
    __m256d const other_right = right_of<meets>(other_a, other_x, other_b, other_y, other_offsets);
    __m256i right = _mm256_castps_si256(evens(some_right, other_right));
    __m256i const where = _mm256_castps_si256(odds(some, others));
    if constexpr (meets == Meets::categories) right = _mm256_blendv_epi8(right, spread(where, 1), unseen);
    if constexpr (meets != Meets::finite) right = _mm256_blendv_epi8(right, spread(where, 0), missing);
    return _mm256_sub_epi32(_mm256_srai_epi32(where, 2), right);
  }
  RAREWOOD_AVX2_INLINE unsigned arrived() const {
    return static_cast<unsigned>(_mm256_movemask_ps(
        evens(_mm256_cmp_pd(some_offsets, some_offsets, _CMP_UNORD_Q), _mm256_cmp_pd(other_offsets, other_offsets, _CMP_UNORD_Q))));
  }
  RAREWOOD_AVX2_INLINE __m256i mark() const { return _mm256_castps_si256(evens(some_offsets, other_offsets)); }

 private:
  // The nodes of lanes 0, 1, 4 and 5 behind `at`.
  RAREWOOD_AVX2_INLINE static void read(CompactNode const* nodes, std::uint32_t const* at, __m256d& a, __m256d& b, __m256d& offset,
                                        __m256d& rest) {
    auto const* const one = reinterpret_cast<double const*>(nodes + at[0]);
    auto const* const two = reinterpret_cast<double const*>(nodes + at[1]);
    auto const* const three = reinterpret_cast<double const*>(nodes + at[4]);
    auto const* const four = reinterpret_cast<double const*>(nodes + at[5]);
    __m256d const first = joined(_mm_loadu_pd(one), _mm_loadu_pd(three));
    __m256d const second = joined(_mm_loadu_pd(two), _mm_loadu_pd(four));
    a = _mm256_unpacklo_pd(first, second);
    b = _mm256_unpackhi_pd(first, second);
    __m256d const third = joined(_mm_loadu_pd(one + 2), _mm_loadu_pd(three + 2));
    __m256d const fourth = joined(_mm_loadu_pd(two + 2), _mm_loadu_pd(four + 2));
    offset = _mm256_unpacklo_pd(third, fourth);
    rest = _mm256_unpackhi_pd(third, fourth);
  }
  RAREWOOD_AVX2_INLINE static __m256d four(float const* rows, std::uint32_t const* cell) {
    __m128 const one = _mm_load_ss(rows + cell[0]);
    __m128 const two = _mm_insert_ps(one, _mm_load_ss(rows + cell[1]), 0x10);
    __m128 const three = _mm_insert_ps(two, _mm_load_ss(rows + cell[4]), 0x20);
    return _mm256_cvtps_pd(_mm_insert_ps(three, _mm_load_ss(rows + cell[5]), 0x30));
  }
  RAREWOOD_AVX2_INLINE static __m256d four(double const* rows, std::uint32_t const* cell) {
    return joined(_mm_loadh_pd(_mm_load_sd(rows + cell[0]), rows + cell[1]), _mm_loadh_pd(_mm_load_sd(rows + cell[4]), rows + cell[5]));
  }
  RAREWOOD_AVX2_INLINE static __m128d slots(CompactNode const* nodes, std::uint32_t const* at) {
    return _mm_loadh_pd(_mm_load_sd(reinterpret_cast<double const*>(&nodes[at[0]].slot_a)),
                        reinterpret_cast<double const*>(&nodes[at[1]].slot_a));
  }
  // Puts places where slots say so. Returns all ones in lanes whose category has none.
  RAREWOOD_AVX2_INLINE static __m256i place(std::uint32_t const* words, __m256i slot, __m256d& some, __m256d& others,
                                            std::uint32_t* cells) {
    __m256i const are_numbers = _mm256_cmpeq_epi32(slot, _mm256_setzero_si256());
    __m256i const size = _mm256_sllv_epi32(_mm256_set1_epi32(1), _mm256_and_si256(slot, _mm256_set1_epi32(31)));
    __m256i const codes = codes_of(some, others);
    __m256i const at = _mm256_and_si256(codes, _mm256_sub_epi32(size, _mm256_set1_epi32(1)));
    store(cells, _mm256_add_epi32(at, _mm256_srli_epi32(slot, 5)));
    __m256i const word = look_up(words, cells);
    __m256i const places = _mm256_and_si256(word, _mm256_set1_epi32((1 << CategoryWords::place_bits) - 1));
    some =
        _mm256_blendv_pd(_mm256_cvtepi32_pd(halves<0>(places)), some, _mm256_castsi256_pd(_mm256_cvtepi32_epi64(halves<0>(are_numbers))));
    others =
        _mm256_blendv_pd(_mm256_cvtepi32_pd(halves<1>(places)), others, _mm256_castsi256_pd(_mm256_cvtepi32_epi64(halves<1>(are_numbers))));
    __m256i const known = _mm256_cmpeq_epi32(_mm256_srli_epi32(word, CategoryWords::place_bits), codes);
    return _mm256_andnot_si256(_mm256_or_si256(known, are_numbers), _mm256_set1_epi32(-1));
  }
  // Lanes 0, 1, 4, 5, or lanes 2, 3, 6, 7.
  template <int Which>
  RAREWOOD_AVX2_INLINE static __m128i halves(__m256i numbers) {
    __m128i const low = _mm256_castsi256_si128(numbers);
    __m128i const high = _mm256_extracti128_si256(numbers, 1);
    return Which == 0 ? _mm_unpacklo_epi64(low, high) : _mm_unpackhi_epi64(low, high);
  }
  // All ones where a x + b y is not at most the offset.
  template <Meets meets>
  RAREWOOD_AVX2_INLINE static __m256d right_of(__m256d a, __m256d x, __m256d b, __m256d y, __m256d offset) {
    __m256d of_y = _mm256_mul_pd(b, y);
    if constexpr (meets != Meets::finite) of_y = _mm256_andnot_pd(_mm256_cmp_pd(b, _mm256_setzero_pd(), _CMP_EQ_OQ), of_y);
    return _mm256_cmp_pd(_mm256_add_pd(_mm256_mul_pd(a, x), of_y), offset, _CMP_NLE_UQ);
  }
};

template <class Lanes, Meets meets>
RAREWOOD_AVX2 void descend_all(typename Lanes::CompactNode const* nodes, std::uint32_t const* words, typename Lanes::Cell const* rows,
                               std::size_t stride, MovingRows moving, ArrivedRows arrived) {
  constexpr int groups = Lanes::groups;
  static_assert((groups + 1) * lanes <= vector_room);
  __m256i const row_size = _mm256_set1_epi32(static_cast<int>(stride));
  alignas(32) std::uint32_t cells[groups * lanes];
  while (moving.n > 0) {
    // The last vectors are filled up with a row that nobody waits for.
    std::fill_n(moving.at + moving.n, groups * lanes, 0U);
    std::fill_n(moving.row + moving.n, groups * lanes, moving.row[0]);
    std::size_t n_left = 0;
    for (std::size_t i = 0; i < moving.n; i += groups * lanes) {
      __m256i at[groups], row[groups], begin[groups];
      Lanes descent[groups];
#pragma GCC unroll 4
      for (int g = 0; g < groups; ++g) {
        at[g] = load(moving.at + i + g * lanes);
        row[g] = load(moving.row + i + g * lanes);
        begin[g] = _mm256_mullo_epi32(row[g], row_size);
      }
#pragma GCC unroll 4
      for (int s = 0; s < levels_between_looks; ++s) {
#pragma GCC unroll 4
        for (int g = 0; g < groups; ++g) {
          std::uint32_t* const from = moving.at + i + g * lanes;
          if (s > 0) store(from, at[g]);
          at[g] = _mm256_add_epi32(at[g], descent[g].template ahead<meets>(nodes, words, rows, from, begin[g], cells + g * lanes));
        }
      }
      // Those that go on move to the front of the lists, over what has been read.
#pragma GCC unroll 4
      for (int g = 0; g < groups; ++g) {
        std::size_t const place = i + static_cast<std::size_t>(g * lanes);
        if (place >= moving.n) break;
        unsigned const real = moving.n - place >= lanes ? 0xFFU : (1U << (moving.n - place)) - 1U;
        unsigned const ended = descent[g].arrived() & real;
        unsigned const going_on = ~ended & real;
        __m256i const movers = order_of(going_on);
        store_lanes(moving.at + n_left, at[g], movers);
        store_lanes(moving.row + n_left, row[g], movers);
        n_left += static_cast<std::size_t>(std::popcount(going_on));
        if (ended == 0) continue;
        __m256i const leavers = order_of(ended);
        store_lanes(arrived.row + arrived.n, row[g], leavers);
        store_lanes(arrived.mark + arrived.n, descent[g].mark(), leavers);
        arrived.n += static_cast<std::size_t>(std::popcount(ended));
      }
    }
    moving.n = n_left;
  }
}

// Whether vectors were used.
template <class Lanes>
bool descend_if_usable(Meets meets, typename Lanes::CompactNode const* nodes, std::uint32_t const* words, typename Lanes::Cell const* rows,
                       std::size_t stride, MovingRows moving, ArrivedRows arrived) {
  if (!detail::vectors_are_used.load(std::memory_order_relaxed)) return false;
  with_meets(meets, [&]<Meets known>() {
    if constexpr (known != Meets::categories || Lanes::know_categories)
      descend_all<Lanes, known>(nodes, words, rows, stride, moving, arrived);
  });
  return true;
}

#else

struct NarrowLanes {};
struct WideLanes {};
template <class T, class Node>
struct SlantedLanes {};

template <class Lanes, class CompactNode, class T>
bool descend_if_usable(Meets, CompactNode const*, std::uint32_t const*, T const*, std::size_t, MovingRows, ArrivedRows) {
  return false;
}

#endif

}  // namespace

bool vector_descend(Meets meets, NarrowNode const* nodes, std::uint32_t const* words, float const* rows, std::size_t stride,
                    MovingRows moving, ArrivedRows arrived) {
  return descend_if_usable<NarrowLanes>(meets, nodes, words, rows, stride, moving, arrived);
}

bool vector_descend(Meets meets, WideNode const* nodes, std::uint32_t const* words, double const* rows, std::size_t stride,
                    MovingRows moving, ArrivedRows arrived) {
  return descend_if_usable<WideLanes>(meets, nodes, words, rows, stride, moving, arrived);
}

bool vector_descend(Meets meets, SlantedNode const* nodes, std::uint32_t const* words, float const* rows, std::size_t stride,
                    MovingRows moving, ArrivedRows arrived) {
  return descend_if_usable<SlantedLanes<float, SlantedNode>>(meets, nodes, words, rows, stride, moving, arrived);
}

bool vector_descend(Meets meets, SlantedNode const* nodes, std::uint32_t const* words, double const* rows, std::size_t stride,
                    MovingRows moving, ArrivedRows arrived) {
  return descend_if_usable<SlantedLanes<double, SlantedNode>>(meets, nodes, words, rows, stride, moving, arrived);
}

bool vector_descend(Meets meets, PlacedNode const* nodes, std::uint32_t const* words, float const* rows, std::size_t stride,
                    MovingRows moving, ArrivedRows arrived) {
  return descend_if_usable<SlantedLanes<float, PlacedNode>>(meets, nodes, words, rows, stride, moving, arrived);
}

bool vector_descend(Meets meets, PlacedNode const* nodes, std::uint32_t const* words, double const* rows, std::size_t stride,
                    MovingRows moving, ArrivedRows arrived) {
  return descend_if_usable<SlantedLanes<double, PlacedNode>>(meets, nodes, words, rows, stride, moving, arrived);
}

}  // namespace rarewood
