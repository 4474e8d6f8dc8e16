#include "rarewood/splitters/exact_numeric.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "cut_walk.hpp"
#include "radix_sort.hpp"

namespace rarewood {

namespace {

constexpr std::uint64_t low_half = 0xFFFFFFFFU;

// Estimated cost of each walk in nanoseconds, fitted to measurements on nodes of 10 to 10^6 rows; only their order matters.
double histogram_cost(double rows, double range, double n_classes) {
  bool const too_large = range * (n_classes + 1.0) > std::max(2.0 * rows, 4096.0);  // its memory must stay small beside the rows
  return too_large ? std::numeric_limits<double>::infinity() : 1.5 * rows + 0.6 * range * n_classes;
}
double sort_cost(double rows) {
  return rows < static_cast<double>(radix_sort_from) ? rows * (4.0 + 2.2 * std::log2(rows + 1.0)) : rows * 14.0;
}
double bits_cost(double rows, double range) { return 60.0 + 3.2 * rows + 8.0 * std::min(rows, range / 64.0) + range / 4096.0; }
double anchors_cost(double rows, double others) { return 60.0 + 3.0 * rows + sort_cost(others) + 12.0 * others; }

}  // namespace

Split ExactNumericSplitter::split_of(std::size_t feature, Tag tag) const {
  NumericTag const numeric = NumericTag::unpack(tag);
  Split split;
  split.kind = SplitKind::numeric;
  split.feature = static_cast<std::uint32_t>(feature);
  split.cut = numeric.cut;
  split.missing_left = numeric.missing_left;
  split.missing_seen = numeric.missing_seen;
  return split;
}

FeatureResult ExactNumericSplitter::search(NodeRows const& node, std::size_t feature, double min_cases, bool prune_runs,
                                           Candidates& candidates) {
  codes_.gather(node, node.data->codes(feature), data_.has_missing(feature));
  if (codes_.is_constant()) return FeatureResult::nothing_to_split();

  candidates.begin_feature(min_cases);
  bool const anchors_allowed = prune_runs && min_cases <= 1.0;  // anchors merge runs whole, so no cut inside them may be needed
  FeatureResult result;
  if (bits_are_best(anchors_allowed)) {
    if (std::optional<std::size_t> const n_cuts = bits_.walk(codes_, min_cases, prune_runs, candidates)) {
      result.best = candidates.finish_feature();
      result.n_thresholds = static_cast<double>(*n_cuts);
      return result;
    }
  }
  double const present_cases = node.cases() - codes_.missing()[data_.n_classes()];
  CutWalk cuts(candidates, data_.n_classes(), codes_.missing(), present_cases, min_cases, prune_runs, scratch_);
  if (codes_.weights().empty()) {
    walk<false>(node, anchors_allowed, cuts);
  } else {
    walk<true>(node, anchors_allowed, cuts);
  }
  cuts.finish();
  result.best = candidates.finish_feature();
  result.n_thresholds = cuts.n_thresholds();
  return result;
}

bool ExactNumericSplitter::bits_are_best(bool anchors_allowed) const {
  if (data_.n_classes() != 2 || !codes_.weights().empty() || codes_.any_missing()) return false;
  double const rows = static_cast<double>(codes_.size());
  double const range = static_cast<double>(codes_.max() - codes_.min()) + 1.0;
  double const others = static_cast<double>(std::min(codes_.cells(0).size(), codes_.cells(1).size()));
  double const cost = bits_cost(rows, range);
  return cost < histogram_cost(rows, range, 2.0) && cost < sort_cost(rows) && !(anchors_allowed && anchors_cost(rows, others) < cost);
}

std::size_t ExactNumericSplitter::dominant_class() const {
  std::size_t best = 0;
  for (std::size_t j = 1; j < data_.n_classes(); ++j) {
    if (codes_.cells(j).size() > codes_.cells(best).size()) best = j;
  }
  return best;
}

template <bool Weighted>
void ExactNumericSplitter::walk(NodeRows const& node, bool anchors_allowed, CutWalk& cuts) {
  double const rows = static_cast<double>(codes_.size());
  double const by_histogram =
      histogram_cost(rows, static_cast<double>(codes_.max() - codes_.min()) + 1.0, static_cast<double>(data_.n_classes()));
  double const by_sort = sort_cost(rows);
  std::size_t const dominant = dominant_class();
  double const others = rows - static_cast<double>(codes_.cells(dominant).size());
  double const by_anchors = anchors_allowed ? anchors_cost(rows, others) : std::numeric_limits<double>::infinity();
  if (by_histogram <= std::min(by_sort, by_anchors)) {
    walk_histogram<Weighted>(node, cuts);
  } else if (by_anchors < by_sort) {
    walk_anchors<Weighted>(node, dominant, cuts);
  } else {
    walk_sorted<Weighted>(node, cuts);
  }
}

template <bool Weighted>
void ExactNumericSplitter::walk_histogram(NodeRows const& node, CutWalk& cuts) {
  std::span<Code const> const cells = codes_.cells();
  [[maybe_unused]] std::span<double const> const weights = codes_.weights();
  Code const low = codes_.min();
  std::size_t const n_classes = data_.n_classes();
  std::size_t const range = static_cast<std::size_t>(codes_.max() - codes_.min()) + 1;
  std::size_t const stride = Weighted ? n_classes + 1 : n_classes;  // weighted: the cases of the value come last
  auto& counts = [this]() -> auto& {
    if constexpr (Weighted)
      return weighted_counts_;
    else
      return unit_counts_;
  }();
  if (counts.size() < range * stride) counts.resize(range * stride, 0);
  for (std::size_t j = 0; j < n_classes; ++j) {
    for (std::size_t i = codes_.class_begin(j); i < codes_.class_end(j); ++i) {
      auto* slot = counts.data() + (cells[i] - low) * stride;
      if constexpr (Weighted) {
        slot[j] += weights[i];
        slot[n_classes] += node.cases_of(weights[i]);
      } else {
        ++slot[j];
      }
    }
  }
  for (std::size_t r = 0; r < range; ++r) {
    auto* slot = counts.data() + r * stride;
    std::size_t pure = CutWalk::mixed;
    std::size_t n_present = 0;
    double cases = 0.0;
    for (std::size_t j = 0; j < n_classes; ++j) {
      if (slot[j] == 0) continue;
      pure = j;
      ++n_present;
      cases += static_cast<double>(slot[j]);
    }
    if (n_present == 0) continue;
    if constexpr (Weighted) cases = slot[n_classes];
    cuts.next_value(low + static_cast<Code>(r), n_present == 1 ? pure : CutWalk::mixed, cases);
    double cases_to_add = cases;  // all with the first class: only their sum matters
    for (std::size_t j = 0; j < n_classes; ++j) {
      if (slot[j] == 0) continue;
      cuts.add(j, static_cast<double>(slot[j]), std::exchange(cases_to_add, 0.0));
      slot[j] = 0;
    }
    if constexpr (Weighted) slot[n_classes] = 0.0;
  }
}

// Sorts keys_[0, n) by code; equal codes stay grouped by class.
template <bool Weighted>
std::uint64_t const* ExactNumericSplitter::sort_keys(std::size_t n) {
  if (keys_spare_.size() < n) keys_spare_.resize(keys_.size());
  int const bits = static_cast<int>(std::bit_width(codes_.max() - codes_.min()));
  return radix_sort(keys_.data(), keys_spare_.data(), n, 32, 32 + bits, [](std::uint64_t key) { return key; });
}

template <bool Weighted>
void ExactNumericSplitter::walk_sorted(NodeRows const& node, CutWalk& cuts) {
  std::span<Code const> const cells = codes_.cells();
  [[maybe_unused]] std::span<double const> const weights = codes_.weights();
  Code const low = codes_.min();
  if (keys_.size() < codes_.size()) keys_.resize(codes_.size());
  for (std::size_t j = 0; j < data_.n_classes(); ++j) {
    for (std::size_t i = codes_.class_begin(j); i < codes_.class_end(j); ++i)
      keys_[i] = static_cast<std::uint64_t>(cells[i] - low) << 32 | (Weighted ? i : j);
  }
  std::uint64_t const* sorted = sort_keys<Weighted>(codes_.size());
  auto const cls = [this](std::uint64_t key) {
    return Weighted ? codes_.class_of(key & low_half) : static_cast<std::size_t>(key & low_half);
  };
  for (std::size_t i = 0; i < codes_.size();) {
    std::uint64_t const code = sorted[i] >> 32;
    std::size_t end = i + 1;
    while (end < codes_.size() && sorted[end] >> 32 == code) ++end;
    std::size_t const first = cls(sorted[i]);
    double cases = static_cast<double>(end - i);
    if constexpr (Weighted) {
      cases = 0.0;
      for (std::size_t k = i; k < end; ++k) cases += node.cases_of(weights[sorted[k] & low_half]);
    }
    cuts.next_value(low + static_cast<Code>(code), first == cls(sorted[end - 1]) ? first : CutWalk::mixed, cases);
    for (; i < end; ++i) {
      double const w = Weighted ? weights[sorted[i] & low_half] : 1.0;
      cuts.add(cls(sorted[i]), w, node.cases_of(w));
    }
  }
}

template <bool Weighted>
void ExactNumericSplitter::walk_anchors(NodeRows const& node, std::size_t dominant, CutWalk& cuts) {
  std::span<Code const> const cells = codes_.cells();
  [[maybe_unused]] std::span<double const> const weights = codes_.weights();
  Code const low = codes_.min();
  if (keys_.size() < codes_.size()) keys_.resize(codes_.size());
  std::size_t n_keys = 0;
  for (std::size_t j = 0; j < data_.n_classes(); ++j) {
    if (j == dominant) continue;
    for (std::size_t i = codes_.class_begin(j); i < codes_.class_end(j); ++i)
      keys_[n_keys++] = static_cast<std::uint64_t>(cells[i] - low) << 32 | (Weighted ? i : j);
  }
  std::uint64_t const* sorted = sort_keys<Weighted>(n_keys);

  anchors_.clear();
  anchor_begin_.clear();
  for (std::size_t i = 0; i < n_keys; ++i) {
    Code const code = static_cast<Code>(sorted[i] >> 32);
    if (anchors_.empty() || code != anchors_.back()) {
      anchors_.push_back(code);
      anchor_begin_.push_back(static_cast<std::uint32_t>(i));
    }
  }
  anchor_begin_.push_back(static_cast<std::uint32_t>(n_keys));
  count_between_anchors<Weighted>(node, dominant);

  auto const cls = [this](std::uint64_t key) {
    return Weighted ? codes_.class_of(key & low_half) : static_cast<std::size_t>(key & low_half);
  };
  // Weight and cases of the dominant class in slot s; the slot is cleared for the next node.
  auto const take = [this](std::size_t s) -> std::pair<double, double> {
    if constexpr (Weighted) return {std::exchange(weighted_counts_[2 * s], 0.0), std::exchange(weighted_counts_[2 * s + 1], 0.0)};
    double const count = std::exchange(unit_counts_[s], 0U);
    return {count, count};
  };
  std::size_t const n_anchors = anchors_.size();
  for (std::size_t a = 0; a <= n_anchors; ++a) {
    auto const [gap_weight, gap_cases] = take(2 * a);
    if (gap_cases > 0.0) {
      cuts.next_value(a < n_anchors ? low + anchors_[a] - 1 : codes_.max(), dominant, gap_cases);
      cuts.add(dominant, gap_weight, gap_cases);
    }
    if (a == n_anchors) break;
    auto const [tied_weight, tied_cases] = take(2 * a + 1);
    std::size_t const first = cls(sorted[anchor_begin_[a]]);
    bool const pure = tied_cases == 0.0 && first == cls(sorted[anchor_begin_[a + 1] - 1]);
    cuts.next_value(low + anchors_[a], pure ? first : CutWalk::mixed, 0.0);  // cases do not matter: anchors run without minimum sizes
    if (tied_cases > 0.0) cuts.add(dominant, tied_weight, tied_cases);
    for (std::size_t i = anchor_begin_[a]; i < anchor_begin_[a + 1]; ++i) {
      double const w = Weighted ? weights[sorted[i] & low_half] : 1.0;
      cuts.add(cls(sorted[i]), w, node.cases_of(w));
    }
  }
}

// Slot 2a: the dominant class strictly between anchors a - 1 and a; slot 2a + 1: tied with anchor a.
template <bool Weighted>
void ExactNumericSplitter::count_between_anchors(NodeRows const& node, std::size_t dominant) {
  std::span<Code const> const cells = codes_.cells();
  [[maybe_unused]] std::span<double const> const weights = codes_.weights();
  Code const low = codes_.min();
  std::size_t const n_anchors = anchors_.size();
  if constexpr (Weighted) {
    if (weighted_counts_.size() < 4 * (n_anchors + 1)) weighted_counts_.resize(4 * (n_anchors + 1), 0.0);
  } else {
    if (unit_counts_.size() < 2 * (n_anchors + 1)) unit_counts_.resize(2 * (n_anchors + 1), 0U);
  }
  // A grid of at least twice as many cells as anchors over [0, codes_.max() - codes_.min()] gives the first anchor a code can meet.
  int const grid_bits = static_cast<int>(std::bit_width(n_anchors * 2));
  int const shift = std::max(0, static_cast<int>(std::bit_width(codes_.max() - codes_.min())) - grid_bits);
  std::size_t const n_cells = (static_cast<std::size_t>(codes_.max() - codes_.min()) >> shift) + 1;
  grid_.resize(n_cells + 1);
  std::size_t anchor = 0;
  for (std::size_t cell = 0; cell <= n_cells; ++cell) {
    while (anchor < n_anchors && (static_cast<std::size_t>(anchors_[anchor]) >> shift) < cell) ++anchor;
    grid_[cell] = static_cast<std::uint32_t>(anchor);
  }
  anchors_.push_back(missing_code);  // sentinel: larger than any code
  for (std::size_t i = codes_.class_begin(dominant); i < codes_.class_end(dominant); ++i) {
    Code const code = cells[i] - low;
    std::size_t const cell = code >> shift;
    std::size_t a = grid_[cell];
    if (grid_[cell + 1] - a > 8) {
      a = static_cast<std::size_t>(std::lower_bound(anchors_.begin() + static_cast<std::ptrdiff_t>(a), anchors_.end(), code) -
                                   anchors_.begin());
    } else {
      while (anchors_[a] < code) ++a;
    }
    std::size_t const slot = 2 * a + (anchors_[a] == code ? 1 : 0);
    if constexpr (Weighted) {
      weighted_counts_[2 * slot] += weights[i];
      weighted_counts_[2 * slot + 1] += node.cases_of(weights[i]);
    } else {
      ++unit_counts_[slot];
    }
  }
  anchors_.pop_back();
}

}  // namespace rarewood
