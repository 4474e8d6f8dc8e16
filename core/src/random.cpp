#include "rarewood/splitters/random.hpp"

#include <cmath>

#include "node_keys.hpp"
#include "wide.hpp"

namespace rarewood {

namespace {

constexpr int max_redraws = 64;  // of a subset that came out empty or full: happens once in 2^63 with two categories

// Uniform on [low, high), both finite, low < high. Halves avoid overflow of high - low.
template <class T>
T draw_cut(T low, T high, Rng& rng) {
  double const half_low = static_cast<double>(low) / 2.0;
  auto const cut = static_cast<T>(2.0 * (half_low + rng.uniform() * (static_cast<double>(high) / 2.0 - half_low)));
  return cut >= low && cut < high ? cut : low;  // rounding may reach the maximum; both sides must keep a row
}

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

RAREWOOD_WIDE void count_at_most_five(float const* cells, std::size_t n, float const* cuts, std::int32_t* counts) {
  count_five(cells, n, cuts, counts);
}
RAREWOOD_WIDE void count_at_most_five(double const* cells, std::size_t n, double const* cuts, std::int32_t* counts) {
  count_five(cells, n, cuts, counts);
}

template <class T>
[[gnu::always_inline]] inline std::int32_t count_one(T const* cells, std::size_t n, T cut) {
  std::int32_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += cells[i] <= cut ? 1 : 0;
  return count;
}

RAREWOOD_WIDE std::int32_t count_at_most_one(float const* cells, std::size_t n, float cut) { return count_one(cells, n, cut); }
RAREWOOD_WIDE std::int32_t count_at_most_one(double const* cells, std::size_t n, double cut) { return count_one(cells, n, cut); }

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

FeatureResult RandomSplitter::search(NodeRows const& node, std::size_t feature, double min_cases, Key key, Candidates& candidates) {
  Rng rng(key);
  candidates.begin_feature(min_cases);
  if (data_.is_nominal(feature)) return search_nominal(node, feature, rng, candidates);
  bool const has_missing = data_.has_missing(feature);
  if (!node.data->narrow(feature).empty()) return search_numeric(node, node.data->narrow(feature), has_missing, narrow_, rng, candidates);
  return search_numeric(node, node.data->wide(feature), has_missing, wide_, rng, candidates);
}

template <class T>
FeatureResult RandomSplitter::search_numeric(NodeRows const& node, std::span<T const> column, bool has_missing, Gathered<T>& gathered,
                                             Rng& rng, Candidates& candidates) {
  gathered.gather(node, column, has_missing);
  if (gathered.is_constant()) return FeatureResult::nothing_to_split();
  std::vector<T>& cuts = scratch_cuts(T{});
  cuts.clear();
  if (gathered.min() == gathered.max()) {
    cuts.push_back(gathered.max());  // one value and missing ones: the only split keeps them apart
  } else {
    // In the order drawn: of equal ones the first wins, so that the winner is as uniform as the draws.
    for (std::size_t c = 0; c < n_cuts_; ++c) cuts.push_back(draw_cut(gathered.min(), gathered.max(), rng));
  }
  count_left<T>(node, gathered, cuts);
  if (gathered.any_missing()) {
    propose_with_missing(cuts.size(), gathered.missing(), candidates);
  } else {
    candidates.propose_all(left_.data(), cuts.size(), NumericTag{0, false, false}.pack());
  }
  FeatureResult result;
  result.best = candidates.finish_feature();
  T const cut = cuts[NumericTag::unpack(result.best.tag).cut];
  result.best.cut_value = cut == gathered.max() ? INFINITY : static_cast<double>(cut);
  return result;
}

// Every cut twice: missing values to the left, and to the right.
void RandomSplitter::propose_with_missing(std::size_t n_cuts, double const* missing, Candidates& candidates) {
  with_missing_.resize(2 * stride_);
  double* const left = with_missing_.data();
  double* const left_and_missing = left + stride_;
  for (std::size_t c = 0; c < n_cuts; ++c) {
    for (std::size_t j = 0; j < stride_; ++j) {
      left[j] = left_[j * n_cuts + c];
      left_and_missing[j] = left[j] + missing[j];
    }
    candidates.propose(left_and_missing, NumericTag{static_cast<Code>(c), true, true}.pack());
    candidates.propose(left, NumericTag{static_cast<Code>(c), false, true}.pack());
  }
}

template <class T>
void RandomSplitter::count_left(NodeRows const& node, Gathered<T> const& gathered, std::span<T const> cuts) {
  std::size_t const n_classes = data_.n_classes();
  std::size_t const n_cuts = cuts.size();
  left_.assign(n_cuts * stride_, 0.0);
  double* const cases = left_.data() + n_classes * n_cuts;
  std::span<double const> const weights = gathered.weights();
  for (std::size_t j = 0; j < n_classes; ++j) {
    double* const left = left_.data() + j * n_cuts;
    if (weights.empty()) {
      counts_.resize(n_cuts);
      count_at_most<T>(gathered.cells(j), cuts, counts_.data());
      for (std::size_t c = 0; c < n_cuts; ++c) {
        left[c] = counts_[c];
        cases[c] += left[c];
      }
      continue;
    }
    for (std::size_t i = gathered.class_begin(j); i < gathered.class_end(j); ++i) {
      T const cell = gathered.cells()[i];
      double const row_cases = node.cases_of(weights[i]);
      for (std::size_t c = 0; c < n_cuts; ++c) {
        double const is_left = cell <= cuts[c] ? 1.0 : 0.0;
        left[c] += is_left * weights[i];
        cases[c] += is_left * row_cases;
      }
    }
  }
}

FeatureResult RandomSplitter::search_nominal(NodeRows const& node, std::size_t feature, Rng& rng, Candidates& candidates) {
  categories_.count(node, feature);
  std::size_t const n_present = categories_.size();
  if (n_present < 2) return FeatureResult::nothing_to_split();
  std::vector<char> sides(n_cuts_ * n_present, 0);
  left_.assign(stride_, 0.0);
  for (std::size_t c = 0; c < n_cuts_; ++c) {
    char* const side = sides.data() + c * n_present;
    std::size_t n_left = 0;
    for (int draw = 0; draw < max_redraws && (n_left == 0 || n_left == n_present); ++draw) {
      n_left = 0;
      for (std::size_t s = 0; s < n_present; ++s) {
        side[s] = static_cast<char>(rng.next() & 1U);
        n_left += side[s] != 0 ? 1 : 0;
      }
    }
    if (n_left == 0 || n_left == n_present) continue;
    std::fill(left_.begin(), left_.end(), 0.0);
    for (std::size_t s = 0; s < n_present; ++s) {
      for (std::size_t j = 0; side[s] != 0 && j < stride_; ++j) left_[j] += categories_.row(s)[j];
    }
    candidates.propose(left_.data(), c);
  }
  FeatureResult result;
  result.best = candidates.finish_feature();
  if (!result.best.found) return result;
  // The lighter side is listed, so that categories nobody knows go to the heavier one.
  char const listed = result.best.left_share > 0.5 ? 0 : 1;
  for (std::size_t s = 0; s < n_present; ++s) {
    if (sides[result.best.tag * n_present + s] == listed)
      result.best.left_codes.push_back(categories_.category(s));
    else
      result.best.right_codes.push_back(categories_.category(s));
  }
  return result;
}

void RandomSplitter::keep_cells(std::size_t feature) {
  bool const whole = !data_.is_nominal(feature) && !data_.narrow(feature).empty() && !data_.has_missing(feature);
  kept_feature_ = whole ? feature : no_feature;
  if (whole) std::swap(narrow_, kept_);
}

Split RandomSplitter::split_of(std::size_t feature, BestCandidate const& best, Key key) const {
  if (data_.is_nominal(feature)) return subset_of(feature, best, key);
  NumericTag const tag = NumericTag::unpack(best.tag);
  Split split;
  split.kind = SplitKind::numeric;
  split.feature = static_cast<std::uint32_t>(feature);
  split.by_value = true;
  split.cut_value = best.cut_value;
  if (kept_feature_ == feature) split.cells = kept_.cells();
  split.missing_left = tag.missing_left;
  split.missing_seen = tag.missing_seen;
  return split;
}

Split RandomSplitter::subset_of(std::size_t feature, BestCandidate const& best, Key key) const {
  Split split;
  split.kind = SplitKind::subset;
  split.feature = static_cast<std::uint32_t>(feature);
  std::size_t const n_categories = data_.n_categories(feature);
  std::vector<char> present(n_categories, 0);
  for (std::vector<Code> const* side : {&best.left_codes, &best.right_codes}) {
    for (Code code : *side) {
      if (code == missing_code) {
        split.missing_seen = true;
        split.missing_left = side == &best.left_codes;
      } else {
        present[code] = 1;
        if (side == &best.left_codes) split.codes.push_back(code);
      }
    }
  }
  if (n_categories <= scatter_up_to) {
    Rng rng(scatter_key(key));
    for (std::size_t code = 0; code < n_categories; ++code) {
      if (present[code] == 0 && (rng.next() & 1U) != 0) split.codes.push_back(static_cast<Code>(code));
    }
    std::sort(split.codes.begin(), split.codes.end());
  }
  return split;
}

}  // namespace rarewood
