#include "search/splitters/cut_rows.hpp"

#include <algorithm>

#include "base/simd_dispatch.hpp"

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

RAREWOOD_SIMD(void, count_at_most_five, (float const* cells, std::size_t n, float const* cuts, std::int32_t* counts),
              (cells, n, cuts, counts)) {
  count_five(cells, n, cuts, counts);
}
RAREWOOD_SIMD(void, count_at_most_five, (double const* cells, std::size_t n, double const* cuts, std::int32_t* counts),
              (cells, n, cuts, counts)) {
  count_five(cells, n, cuts, counts);
}

template <class T>
[[gnu::always_inline]] inline std::int32_t count_one(T const* cells, std::size_t n, T cut) {
  std::int32_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += cells[i] <= cut ? 1 : 0;
  return count;
}

RAREWOOD_SIMD(std::int32_t, count_at_most_one, (float const* cells, std::size_t n, float cut), (cells, n, cut)) {
  return count_one(cells, n, cut);
}
RAREWOOD_SIMD(std::int32_t, count_at_most_one, (double const* cells, std::size_t n, double cut), (cells, n, cut)) {
  return count_one(cells, n, cut);
}

constexpr std::size_t few_rows = 1024;

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
  if (gathered_.size() <= few_rows && n_classes > 2 && cuts.size() <= cut_lanes) return count_few(cuts, counts);
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
void CutRows<T>::count_few(std::span<T const> cuts, LeftCounts& counts) {
  std::size_t const n_classes = gathered_.n_classes();
  sections_.clear();
  for (std::size_t j = 0; j < n_classes; ++j) {
    if (gathered_.class_begin(j) < gathered_.class_end(j))
      sections_.push_back({static_cast<std::uint32_t>(j), static_cast<std::uint32_t>(gathered_.class_end(j))});
  }
  T const* const cells = gathered_.cells().data();
  if (cuts.size() == 1) {
    count_one_cut(cells, std::span<ClassSection const>(sections_), cuts[0], counts.of(0), counts.n);
  } else {
    T padded[cut_lanes] = {};
    std::copy(cuts.begin(), cuts.end(), padded);
    count_cuts(cells, sections_, padded, cuts.size(), counts.of(0), counts.n);
  }
  add_cases(sections_, counts);
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
