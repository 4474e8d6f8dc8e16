#include "parted_search.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace rarewood {

PartedSearch::PartedSearch(Dataset const& data, SearchTraits const& traits, GrowthOptions const& options)
    : data_(data), options_(options), exact_nominal_(data, options.nominal, traits), counter_(data), parts_(options.n_parts) {}

std::optional<Split> PartedSearch::find(NodeSearch& search, SearchState& state, NodeRows const& node) {
  divide(node);
  std::optional<Split> best;
  std::vector<std::pair<std::uint32_t, Split>> others;  // by feature: some rules choose in the end
  while (std::optional<Request> const request = search.ask(state)) {
    Candidates& candidates = search.candidates();
    candidates.begin_feature(request->min_cases);
    Outcome outcome;
    if (request->is_pair()) {
      outcome = search_pair(*request, candidates);
    } else if (data_.is_nominal(request->feature)) {
      outcome = search_categories(node, *request, candidates);
    } else if (options_.splitter == Splitter::best) {
      throw std::invalid_argument("exact thresholds cannot be searched in parts");
    } else if (!node.data->narrow(request->feature).empty()) {
      outcome = search_numbers(*request, node.data->narrow(request->feature), candidates);
    } else {
      outcome = search_numbers(*request, node.data->wide(request->feature), candidates);
    }
    if (search.consider(state, *request, outcome.result)) {
      best = std::move(outcome.split);
    } else if (!request->is_pair() && outcome.split) {
      others.emplace_back(request->feature, std::move(*outcome.split));
    }
  }
  Choice const choice = search.decide(state);
  if (!choice.best.found) return std::nullopt;
  improvement_ = search.improvement(choice);
  if (best) return best;
  auto const is_chosen = [&](auto const& other) { return other.first == choice.request.feature; };
  return std::find_if(others.begin(), others.end(), is_chosen)->second;
}

// Row i of the node goes to part i modulo their number, so some are empty and most lack a class.
void PartedSearch::divide(NodeRows const& node) {
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Part& part = parts_[p];
    part.positions.clear();
    part.weights.clear();
    part.class_begin.assign(1, 0);
    for (std::size_t j = 0; j < node.n_classes(); ++j) {
      for (std::size_t i = node.class_begin[j]; i < node.class_begin[j + 1]; ++i) {
        if (i % parts_.size() != p) continue;
        part.positions.push_back(node.positions[i]);
        if (!node.weights.empty()) part.weights.push_back(node.weights[i]);
      }
      part.class_begin.push_back(part.positions.size());
    }
    part.rows = {node.data, part.positions, part.weights, part.class_begin, {}, node.weights_are_cases};
  }
}

PartedSearch::Outcome PartedSearch::search_pair(Request const& request, Candidates& candidates) {
  LineRows rows(data_);
  Box box;
  for (Part const& part : parts_) box += rows.ask(part.rows, request.feature, request.other);
  Outcome outcome;
  outcome.result.constant = box.is_constant(box.a);
  outcome.result.other_constant = box.is_constant(box.b);
  if (box.n_rows == 0 || outcome.result.constant || outcome.result.other_constant) return outcome;
  LineDrawing drawing;
  drawing.begin(options_.n_cuts, request.key);
  LineCounts counts;
  counts.reset(options_.n_cuts, data_.n_classes());
  auto const count = [&](LineCounts& sums) {
    LineCounts total;
    for (Part const& part : parts_) {
      LineCounts partial = sums;  // of lines that were counted before; these are not touched
      rows.ask(part.rows, request.feature, request.other);
      rows.count(part.rows, drawing, partial);
      total += partial;
    }
    for (std::size_t k : drawing.to_count()) {
      sums.rows[k] = total.rows[k];
      for (std::size_t j = 0; j < box.missing.size(); ++j) sums.left.of(j)[k] = total.left.of(j)[k];
    }
  };
  outcome.result.best = best_drawn(drawing, box, counts, count, candidates);
  if (outcome.result.best.found) outcome.split = drawing.split_of(request, outcome.result.best, {});
  return outcome;
}

PartedSearch::Outcome PartedSearch::search_categories(NodeRows const& node, Request const& request, Candidates& candidates) {
  CategoryTable sum;
  for (Part const& part : parts_) {
    CategoryTable table;
    counter_.count(part.rows, request.feature, table);
    sum += table;
  }
  Outcome outcome;
  if (options_.splitter == Splitter::best) {
    outcome.result = exact_nominal_.consider(sum, request, candidates);
    if (outcome.result.best.found) outcome.split = exact_nominal_.split_of(node, request, outcome.result.best);
    return outcome;
  }
  if (sum.size() < 2) return {FeatureResult::nothing_to_split(), {}};
  SubsetDrawing const drawing(options_.n_cuts, request.key);
  outcome.result.best = drawing.consider(sum, candidates);
  if (outcome.result.best.found) outcome.split = drawing.split_of(request, outcome.result.best, sum, data_.n_categories(request.feature));
  return outcome;
}

template <class T>
PartedSearch::Outcome PartedSearch::search_numbers(Request const& request, std::span<T const> column, Candidates& candidates) {
  CutRows<T> rows;
  Range<T> range;
  bool const has_missing = data_.has_missing(request.feature);
  for (Part const& part : parts_) range += rows.ask(part.rows, column, has_missing);
  if (range.is_constant()) return {FeatureResult::nothing_to_split(), {}};
  CutDrawing<T> drawing;
  drawing.begin(options_.n_cuts, request.key);
  LeftCounts counts;
  auto const count = [&](LeftCounts& sums) {
    sums = {};
    for (Part const& part : parts_) {
      LeftCounts partial;
      rows.ask(part.rows, column, has_missing);
      rows.count(part.rows, drawing.cuts(), partial);
      sums += partial;
    }
  };
  Outcome outcome;
  outcome.result.best = best_drawn(drawing, range, counts, count, candidates);
  if (outcome.result.best.found) outcome.split = drawing.split_of(request, outcome.result.best, {});
  return outcome;
}

}  // namespace rarewood
