#include "rarewood/splitters/cut_rows.hpp"

#include <algorithm>

#include "wide.hpp"

namespace rarewood {

namespace {

// Five cuts in one pass: each cell is loaded once, and five counters fit the vector registers.
template <class T>
[[gnu::always_inline]] inline void count_five(T const* cells, std::size_t n, T const* cuts, std::int32_t* counts) {
  T const a = cuts[0], b = cuts[1], c = cuts[2], d = cuts[3], e = cuts[4];
  std::int32_t at_a = 0, at_b = 0, at_c = 0, at_d = 0, at_e = 0;
  for (std::size_t i = 0; i < n; ++i) {
    at_a += cells[i] <= a ? 1 : 0;
    at_b += cells[i] <= b ? 1 : 0;
    at_c += cells[i] <= c ? 1 : 0;
    at_d += cells[i] <= d ? 1 : 0;
    at_e += cells[i] <= e ? 1 : 0;
  }
  counts[0] += at_a;
  counts[1] += at_b;
  counts[2] += at_c;
  counts[3] += at_d;
  counts[4] += at_e;
}

RAREWOOD_WIDE(void, count_at_most_five, (float const* cells, std::size_t n, float const* cuts, std::int32_t* counts),
              (cells, n, cuts, counts)) {
  count_five(cells, n, cuts, counts);
}
RAREWOOD_WIDE(void, count_at_most_five, (double const* cells, std::size_t n, double const* cuts, std::int32_t* counts),
              (cells, n, cuts, counts)) {
  count_five(cells, n, cuts, counts);
}

template <class T>
[[gnu::always_inline]] inline std::int32_t count_one(T const* cells, std::size_t n, T cut) {
  std::int32_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += cells[i] <= cut ? 1 : 0;
  return count;
}

RAREWOOD_WIDE(std::int32_t, count_at_most_one, (float const* cells, std::size_t n, float cut), (cells, n, cut)) {
  return count_one(cells, n, cut);
}
RAREWOOD_WIDE(std::int32_t, count_at_most_one, (double const* cells, std::size_t n, double cut), (cells, n, cut)) {
  return count_one(cells, n, cut);
}

// Few rows and few cuts: all cuts of a cell at once, all classes in one call, for most classes of a small node have one row or none.
constexpr std::size_t lanes = 16;
constexpr std::size_t few_rows = 1024;

// offsets: n_classes + 1 of them; counts: n_cuts per class, then their sums.
template <class T>
[[gnu::always_inline]] inline void count_all(T const* cells, std::size_t const* offsets, std::size_t n_classes, T const* cuts,
                                             std::size_t n_cuts, double* counts) {
  std::int32_t total[lanes] = {};
  for (std::size_t j = 0; j < n_classes; ++j) {
    if (offsets[j] == offsets[j + 1]) continue;  // zero already
    std::int32_t at[lanes] = {};
    for (std::size_t i = offsets[j]; i < offsets[j + 1]; ++i) {
      T const cell = cells[i];
#pragma omp simd
      for (std::size_t c = 0; c < lanes; ++c) at[c] += cell <= cuts[c] ? 1 : 0;
    }
    for (std::size_t c = 0; c < n_cuts; ++c) counts[j * n_cuts + c] = at[c];
    for (std::size_t c = 0; c < lanes; ++c) total[c] += at[c];
  }
  for (std::size_t c = 0; c < n_cuts; ++c) counts[n_classes * n_cuts + c] = total[c];
}

RAREWOOD_WIDE(void, count_small,
              (float const* cells, std::size_t const* offsets, std::size_t n_classes, float const* cuts, std::size_t n_cuts,
               double* counts),
              (cells, offsets, n_classes, cuts, n_cuts, counts)) {
  count_all(cells, offsets, n_classes, cuts, n_cuts, counts);
}
RAREWOOD_WIDE(void, count_small,
              (double const* cells, std::size_t const* offsets, std::size_t n_classes, double const* cuts, std::size_t n_cuts,
               double* counts),
              (cells, offsets, n_classes, cuts, n_cuts, counts)) {
  count_all(cells, offsets, n_classes, cuts, n_cuts, counts);
}

// One cut and few rows.
template <class T>
void count_small(T const* cells, std::size_t const* offsets, std::size_t n_classes, T cut, double* counts) {
  std::int32_t total = 0;
  for (std::size_t j = 0; j < n_classes; ++j) {
    std::int32_t count = 0;
    for (std::size_t i = offsets[j]; i < offsets[j + 1]; ++i) count += cells[i] <= cut ? 1 : 0;
    counts[j] = count;
    total += count;
  }
  counts[n_classes] = total;
}

// How many of `cells` are at most each cut.
template <class T>
void count_at_most(std::span<T const> cells, std::span<T const> cuts, std::int32_t* counts) {
  constexpr std::size_t few = 8;
  constexpr std::size_t block = 2048;  // stays in the first-level cache while all cuts pass over it
  std::fill(counts, counts + cuts.size(), 0);
  if (cells.size() <= few) {
    for (T const cell : cells) {
      for (std::size_t c = 0; c < cuts.size(); ++c) counts[c] += cell <= cuts[c] ? 1 : 0;
    }
    return;
  }
  for (std::size_t begin = 0; begin < cells.size(); begin += block) {
    std::span<T const> const part = cells.subspan(begin, std::min(block, cells.size() - begin));
    std::size_t c = 0;
    for (; c + 5 <= cuts.size(); c += 5) count_at_most_five(part.data(), part.size(), cuts.data() + c, counts + c);
    for (; c < cuts.size(); ++c) counts[c] += count_at_most_one(part.data(), part.size(), cuts[c]);
  }
}

}  // namespace

template <class T>
void CutRows<T>::count(NodeRows const& node, std::span<T const> cuts, LeftCounts& counts) {
  std::size_t const n_classes = gathered_.n_classes();
  counts.reset(cuts.size(), n_classes);
  if (!gathered_.weights().empty()) return count_weighted(node, cuts, counts);
  if (gathered_.size() <= few_rows && n_classes > 2 && cuts.size() == 1) {
    return count_small(gathered_.cells().data(), gathered_.class_begins(), n_classes, cuts[0], counts.of(0));
  }
  if (gathered_.size() <= few_rows && n_classes > 2 && cuts.size() <= lanes) {
    T padded[lanes] = {};
    std::copy(cuts.begin(), cuts.end(), padded);
    return count_small(gathered_.cells().data(), gathered_.class_begins(), n_classes, padded, cuts.size(), counts.of(0));
  }
  counts_.resize(cuts.size());
  double* const cases = counts.of(n_classes);
  for (std::size_t j = 0; j < n_classes; ++j) {
    count_at_most<T>(gathered_.cells(j), cuts, counts_.data());
    double* const left = counts.of(j);
    for (std::size_t c = 0; c < cuts.size(); ++c) {
      left[c] = counts_[c];
      cases[c] += left[c];
    }
  }
}

template <class T>
void CutRows<T>::count_weighted(NodeRows const& node, std::span<T const> cuts, LeftCounts& counts) const {
  std::size_t const n_classes = gathered_.n_classes();
  std::size_t const n_cuts = cuts.size();
  double* const cases = counts.of(n_classes);
  std::span<double const> const weights = gathered_.weights();
  for (std::size_t j = 0; j < n_classes; ++j) {
    double* const left = counts.of(j);
    for (std::size_t i = gathered_.class_begin(j); i < gathered_.class_end(j); ++i) {
      T const cell = gathered_.cells()[i];
      double const row_cases = node.cases_of(weights[i]);
      for (std::size_t c = 0; c < n_cuts; ++c) {
        double const is_left = cell <= cuts[c] ? 1.0 : 0.0;
        left[c] += is_left * weights[i];
        cases[c] += is_left * row_cases;
      }
    }
  }
}

template class CutRows<float>;
template class CutRows<double>;

}  // namespace rarewood
