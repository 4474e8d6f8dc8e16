#include "rarewood/splitters/exact_numeric.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "screened_walks/class_bitmap.hpp"
#include "walks/anchors.hpp"
#include "walks/bitmap.hpp"
#include "walks/histogram.hpp"
#include "walks/sorted.hpp"

namespace rarewood {

enum class ExactNumericSplitter::Walk { class_bitmap, bitmap, histogram, anchors, sorted };

// The one place that chooses. Costs are estimates in nanoseconds, fitted to measurements on nodes of 10 to 10^6 rows; only their order matters.
ExactNumericSplitter::Walk ExactNumericSplitter::cheapest(double min_cases, bool bitmap_failed, double by_class_bitmap) const {
  constexpr double never = std::numeric_limits<double>::infinity();
  double const by_bitmap = !bitmap_failed && BitmapWalk::applies(codes_) ? BitmapWalk::cost(codes_) : never;
  double const by_anchors = AnchorsWalk::applies(min_cases, prune_runs_) ? AnchorsWalk::cost(codes_) : never;
  double const by_histogram = HistogramWalk::cost(codes_);
  double const by_sort = SortedWalk::cost(codes_);
  if (by_class_bitmap < std::min({by_bitmap, by_histogram, by_sort, by_anchors})) return Walk::class_bitmap;
  if (by_bitmap < std::min(by_histogram, by_sort) && by_bitmap <= by_anchors) return Walk::bitmap;
  if (by_histogram <= std::min(by_sort, by_anchors)) return Walk::histogram;
  return by_anchors < by_sort ? Walk::anchors : Walk::sorted;
}

struct ExactNumericSplitter::Walks {
  ClassBitmapWalk class_bitmap;
  BitmapWalk bitmap;
  HistogramWalk histogram;
  AnchorsWalk anchors;
  SortedWalk sorted;
  std::vector<double> scratch;  // of CutWalk
};

ExactNumericSplitter::ExactNumericSplitter(Dataset const& data, SearchTraits const& traits)
    : data_(data), prune_runs_(traits.run_ends_suffice), walks_(std::make_unique<Walks>()) {}

ExactNumericSplitter::~ExactNumericSplitter() = default;

FeatureResult ExactNumericSplitter::search(NodeRows const& node, Request const& request, Candidates& candidates) {
  codes_.gather(node, node.data->codes(request.feature), data_.has_missing(request.feature));
  if (codes_.range().is_constant()) return FeatureResult::nothing_to_split();
  candidates.begin_feature(request.min_cases);
  constexpr double never = std::numeric_limits<double>::infinity();
  ClassBitmapWalk::Limits const limits{request.min_cases, node.cases(), prune_runs_};
  bool const screened = ClassBitmapWalk::applies(codes_, candidates);
  Walk walk = cheapest(request.min_cases, false, screened ? ClassBitmapWalk::cost(codes_, limits) : never);
  if (walk == Walk::class_bitmap || walk == Walk::bitmap) {
    std::optional<std::size_t> const n_cuts = walk == Walk::class_bitmap
                                                  ? walks_->class_bitmap.walk(codes_, limits, candidates)
                                                  : walks_->bitmap.walk(codes_, request.min_cases, prune_runs_, candidates);
    if (n_cuts) {
      FeatureResult result;
      result.best = candidates.finish_feature();
      result.n_thresholds = static_cast<double>(*n_cuts);
      return result;
    }
    walk = cheapest(request.min_cases, true, never);
  }
  return codes_.weights().empty() ? search_by_cuts<false>(node, request.min_cases, walk, candidates)
                                  : search_by_cuts<true>(node, request.min_cases, walk, candidates);
}

template <bool Weighted>
FeatureResult ExactNumericSplitter::search_by_cuts(NodeRows const& node, double min_cases, Walk walk, Candidates& candidates) {
  double const* const missing = codes_.range().missing.data();
  double const present_cases = node.cases() - missing[data_.n_classes()];
  CutWalk cuts(candidates, data_.n_classes(), missing, present_cases, min_cases, prune_runs_, walks_->scratch);
  switch (walk) {
    case Walk::histogram: walks_->histogram.walk<Weighted>(node, codes_, cuts); break;
    case Walk::anchors: walks_->anchors.walk<Weighted>(node, codes_, cuts); break;
    default: walks_->sorted.walk<Weighted>(node, codes_, cuts);
  }
  cuts.finish();
  FeatureResult result;
  result.best = candidates.finish_feature();
  result.n_thresholds = cuts.n_thresholds();
  return result;
}

Split ExactNumericSplitter::split_of(NodeRows const&, Request const& request, BestCandidate const& best) {
  NumericTag const tag = NumericTag::unpack(best.tag);
  return Threshold::Split{request.feature, Threshold::ByRank{tag.cut}, tag.missing()};
}

}  // namespace rarewood
