#include "rarewood/splitters/random.hpp"

#include <algorithm>
#include <utility>

#include "node_keys.hpp"
#include "wide.hpp"

namespace rarewood {

namespace {

constexpr int max_redraws = 64;  // of a subset that came out empty or full: happens once in 2^63 with two categories

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

bool SubsetDrawing::draw(Rng& rng, std::vector<char>& side) {
  for (int attempt = 0; attempt < max_redraws; ++attempt) {
    std::size_t n_left = 0;
    for (char& left : side) {
      left = static_cast<char>(rng.next() & 1U);
      n_left += left != 0 ? 1 : 0;
    }
    if (n_left != 0 && n_left != side.size()) return true;
  }
  return false;
}

BestCandidate SubsetDrawing::consider(CategoryTable const& table, Candidates& candidates) const {
  Rng rng(key_);
  std::vector<char> side(table.size());
  std::vector<double> left(table.stride);
  for (std::size_t c = 0; c < n_cuts_; ++c) {
    if (!draw(rng, side)) continue;
    std::fill(left.begin(), left.end(), 0.0);
    for (std::size_t s = 0; s < table.size(); ++s) {
      for (std::size_t j = 0; side[s] != 0 && j < table.stride; ++j) left[j] += table.row(s)[j];
    }
    candidates.propose(left.data(), c);
  }
  return candidates.finish_feature();
}

std::vector<char> SubsetDrawing::sides_of(CategoryTable const& table, Tag tag) const {
  Rng rng(key_);
  std::vector<char> side(table.size());
  for (std::size_t c = 0; c <= tag; ++c) draw(rng, side);
  return side;
}

void RandomSplitter::ask(NodeRows const& node, Request const& request) {
  last_.feature = request.feature;
  if (data_.is_nominal(request.feature)) {
    counter_.count(node, request.feature, last_.table);
  } else if (is_narrow(request.feature)) {
    last_.narrow.gather(node, node.data->narrow(request.feature), data_.has_missing(request.feature));
    last_.narrow_cuts.begin(n_cuts_, request.key);
  } else {
    wide_.gather(node, node.data->wide(request.feature), data_.has_missing(request.feature));
    last_.wide_cuts.begin(n_cuts_, request.key);
  }
}

FeatureResult RandomSplitter::search(NodeRows const& node, Request const& request, Candidates& candidates) {
  candidates.begin_feature(request.min_cases);
  ask(node, request);
  if (data_.is_nominal(request.feature)) {
    if (last_.table.size() < 2) return FeatureResult::nothing_to_split();
    return {.best = SubsetDrawing(n_cuts_, request.key).consider(last_.table, candidates)};
  }
  if (is_narrow(request.feature)) return search_numeric(node, last_.narrow, last_.narrow_cuts, candidates);
  return search_numeric(node, wide_, last_.wide_cuts, candidates);
}

template <class T>
FeatureResult RandomSplitter::search_numeric(NodeRows const& node, Gathered<T> const& gathered, CutDrawing<T>& drawing,
                                             Candidates& candidates) {
  if (gathered.range().is_constant()) return FeatureResult::nothing_to_split();
  auto const count = [&](LeftCounts& counts) { count_left(node, gathered, drawing.cuts(), counts); };
  return {.best = best_drawn(drawing, gathered.range(), left_, count, candidates)};
}

template <class T>
void RandomSplitter::count_left(NodeRows const& node, Gathered<T> const& gathered, std::span<T const> cuts, LeftCounts& counts) {
  std::size_t const n_classes = data_.n_classes();
  counts.reset(cuts.size(), n_classes);
  if (!gathered.weights().empty()) return count_left_weighted(node, gathered, cuts, counts);
  counts_.resize(cuts.size());
  double* const cases = counts.of(n_classes);
  for (std::size_t j = 0; j < n_classes; ++j) {
    count_at_most<T>(gathered.cells(j), cuts, counts_.data());
    double* const left = counts.of(j);
    for (std::size_t c = 0; c < cuts.size(); ++c) {
      left[c] = counts_[c];
      cases[c] += left[c];
    }
  }
}

template <class T>
void RandomSplitter::count_left_weighted(NodeRows const& node, Gathered<T> const& gathered, std::span<T const> cuts, LeftCounts& counts) {
  std::size_t const n_classes = data_.n_classes();
  std::size_t const n_cuts = cuts.size();
  double* const cases = counts.of(n_classes);
  std::span<double const> const weights = gathered.weights();
  for (std::size_t j = 0; j < n_classes; ++j) {
    double* const left = counts.of(j);
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

Split RandomSplitter::split_of(NodeRows const& node, Request const& request, BestCandidate const& best) {
  bool const nominal = data_.is_nominal(request.feature);
  bool const narrow = !nominal && is_narrow(request.feature);
  if (kept_.feature != request.feature) {  // the stream of (node, column) gives the same cuts again
    ask(node, request);
    if (narrow) last_.narrow_cuts.draw(last_.narrow.range(), left_);
    if (!nominal && !narrow) last_.wide_cuts.draw(wide_.range(), left_);
    keep();
  }
  kept_.feature = no_feature;  // it is of this node only
  if (nominal) return subset_of(request, best);
  std::optional<bool> const missing = NumericTag::unpack(best.tag).missing();
  if (!narrow) return Threshold::Split{request.feature, Threshold::ByValue{kept_.wide_cuts.cut_of(best.tag), {}}, missing};
  bool const whole = !data_.has_missing(request.feature);
  std::span<float const> const cells = whole ? kept_.narrow.cells() : std::span<float const>{};
  return Threshold::Split{request.feature, Threshold::ByValue{kept_.narrow_cuts.cut_of(best.tag), cells}, missing};
}

Split RandomSplitter::subset_of(Request const& request, BestCandidate const& best) const {
  CategoryTable const& table = kept_.table;
  CategorySet::Split split{request.feature, {}, false};
  std::vector<char> const sides = SubsetDrawing(n_cuts_, request.key).sides_of(table, best.tag);
  // The lighter side is listed, so that categories nobody knows go to the heavier one.
  char const listed = best.left_is_heavier() ? 0 : 1;
  std::size_t const n_categories = data_.n_categories(request.feature);
  std::vector<char> present(n_categories, 0);
  for (std::size_t s = 0; s < table.size(); ++s) {
    Code const code = table.categories[s];
    if (code == missing_code) {
      split.missing_left = sides[s] == listed;
    } else {
      present[code] = 1;
      if (sides[s] == listed) split.codes.push_back(code);
    }
  }
  if (n_categories <= scatter_up_to) {
    Rng rng(scatter_key(request.key));
    for (std::size_t code = 0; code < n_categories; ++code) {
      if (present[code] == 0 && (rng.next() & 1U) != 0) split.codes.push_back(static_cast<Code>(code));
    }
    std::sort(split.codes.begin(), split.codes.end());
  }
  return split;
}

}  // namespace rarewood
