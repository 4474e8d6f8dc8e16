#include "search/splitters/exact_numeric.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "search/cut_orders/anchors.hpp"
#include "search/cut_orders/bitmap.hpp"
#include "search/cut_orders/class_bitmap.hpp"
#include "search/cut_orders/histogram.hpp"
#include "search/cut_orders/sorted.hpp"

namespace rarewood {

enum class ExactNumericSplitter::CutOrder { class_bitmap, bitmap, histogram, anchors, sorted };

// The one place that chooses. Costs are estimates in nanoseconds, fitted to measurements on nodes of 10 to 10^6 rows; only their order matters.
ExactNumericSplitter::CutOrder ExactNumericSplitter::cheapest(double min_cases, bool bitmap_failed, double by_class_bitmap) const {
  constexpr double never = std::numeric_limits<double>::infinity();
  double const by_bitmap = !bitmap_failed && BitmapOrder::applies(codes_) ? BitmapOrder::cost(codes_) : never;
  double const by_anchors = AnchorsOrder::applies(min_cases, prune_runs_) ? AnchorsOrder::cost(codes_) : never;
  double const by_histogram = HistogramOrder::cost(codes_);
  double const by_sort = SortedOrder::cost(codes_);
  if (by_class_bitmap < std::min({by_bitmap, by_histogram, by_sort, by_anchors})) return CutOrder::class_bitmap;
  if (by_bitmap < std::min(by_histogram, by_sort) && by_bitmap <= by_anchors) return CutOrder::bitmap;
  if (by_histogram <= std::min(by_sort, by_anchors)) return CutOrder::histogram;
  return by_anchors < by_sort ? CutOrder::anchors : CutOrder::sorted;
}

struct ExactNumericSplitter::CutOrders {
  ClassBitmapOrder class_bitmap;
  BitmapOrder bitmap;
  HistogramOrder histogram;
  AnchorsOrder anchors;
  SortedOrder sorted;
  std::vector<double> scratch;  // of CutProposer
};

ExactNumericSplitter::ExactNumericSplitter(Dataset const& data, SearchTraits const& traits)
    : data_(data), prune_runs_(traits.run_ends_suffice), orders_(std::make_unique<CutOrders>()) {}

ExactNumericSplitter::~ExactNumericSplitter() = default;

ColumnResult ExactNumericSplitter::search(NodeRows const& node, Request const& request, Candidates& candidates) {
  codes_.gather(node, node.data->codes(request.feature), data_.has_missing(request.feature));
  if (codes_.range().is_constant()) return ColumnResult::nothing_to_split();
  candidates.begin_column(request);
  constexpr double never = std::numeric_limits<double>::infinity();
  ClassBitmapOrder::Limits const limits{request.min_cases, node.cases(), prune_runs_};
  bool const screened = ClassBitmapOrder::applies(codes_, candidates);
  CutOrder order = cheapest(request.min_cases, false, screened ? ClassBitmapOrder::cost(codes_, limits) : never);
  if (order == CutOrder::class_bitmap || order == CutOrder::bitmap) {
    std::optional<std::size_t> const n_cuts = order == CutOrder::class_bitmap
                                                  ? orders_->class_bitmap.visit(codes_, limits, candidates)
                                                  : orders_->bitmap.visit(codes_, request.min_cases, prune_runs_, candidates);
    if (n_cuts) {
      ColumnResult result;
      result.best = candidates.finish_column();
      result.n_thresholds = static_cast<double>(*n_cuts);
      return result;
    }
    order = cheapest(request.min_cases, true, never);
  }
  return codes_.weights().empty() ? search_by_cuts<false>(node, request.min_cases, order, candidates)
                                  : search_by_cuts<true>(node, request.min_cases, order, candidates);
}

template <bool Weighted>
ColumnResult ExactNumericSplitter::search_by_cuts(NodeRows const& node, double min_cases, CutOrder order, Candidates& candidates) {
  double const* const missing = codes_.range().missing.data();
  double const present_cases = node.cases() - missing[data_.n_classes()];
  CutProposer cuts(candidates, data_.n_classes(), missing, present_cases, min_cases, prune_runs_, orders_->scratch);
  switch (order) {
    case CutOrder::histogram: orders_->histogram.visit<Weighted>(node, codes_, cuts); break;
    case CutOrder::anchors: orders_->anchors.visit<Weighted>(node, codes_, cuts); break;
    default: orders_->sorted.visit<Weighted>(node, codes_, cuts);
  }
  cuts.finish();
  ColumnResult result;
  result.best = candidates.finish_column();
  result.n_thresholds = cuts.n_thresholds();
  return result;
}

Split ExactNumericSplitter::split_of(NodeRows const&, Request const& request, BestCandidate const& best) {
  NumericTag const tag = NumericTag::unpack(best.tag);
  return Threshold::Split{request.feature, Threshold::ByRank{tag.cut}, tag.missing()};
}

}  // namespace rarewood
