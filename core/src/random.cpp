#include "rarewood/splitters/random.hpp"

#include <algorithm>
#include <utility>

#include "node_keys.hpp"

namespace rarewood {

namespace {

constexpr int max_redraws = 64;  // of a subset that came out empty or full: happens once in 2^63 with two categories

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
  last_->feature = request.feature;
  if (data_.is_nominal(request.feature)) {
    counter_.count(node, request.feature, last_->table);
  } else if (is_narrow(request.feature)) {
    last_->narrow.ask(node, node.data->narrow(request.feature), data_.has_missing(request.feature));
    last_->narrow_cuts.begin(n_cuts_, request.key);
  } else {
    wide_.ask(node, node.data->wide(request.feature), data_.has_missing(request.feature));
    last_->wide_cuts.begin(n_cuts_, request.key);
  }
}

FeatureResult RandomSplitter::search(NodeRows const& node, Request const& request, Candidates& candidates) {
  candidates.begin_feature(request.min_cases);
  ask(node, request);
  if (data_.is_nominal(request.feature)) {
    if (last_->table.size() < 2) return FeatureResult::nothing_to_split();
    return {.best = SubsetDrawing(n_cuts_, request.key).consider(last_->table, candidates)};
  }
  if (is_narrow(request.feature)) return search_numeric(node, last_->narrow, last_->narrow_cuts, candidates);
  return search_numeric(node, wide_, last_->wide_cuts, candidates);
}

template <class T>
FeatureResult RandomSplitter::search_numeric(NodeRows const& node, CutRows<T>& rows, CutDrawing<T>& drawing, Candidates& candidates) {
  if (rows.range().is_constant()) return FeatureResult::nothing_to_split();
  auto const count = [&](LeftCounts& counts) { rows.count(node, drawing.cuts(), counts); };
  return {.best = best_drawn(drawing, rows.range(), left_, count, candidates)};
}

Split RandomSplitter::split_of(NodeRows const& node, Request const& request, BestCandidate const& best) {
  bool const nominal = data_.is_nominal(request.feature);
  bool const narrow = !nominal && is_narrow(request.feature);
  if (kept_->feature != request.feature) {  // the stream of (node, column) gives the same cuts again
    ask(node, request);
    if (narrow) last_->narrow_cuts.draw(last_->narrow.range(), left_);
    if (!nominal && !narrow) last_->wide_cuts.draw(wide_.range(), left_);
    keep();
  }
  kept_->feature = no_feature;  // it is of this node only
  if (nominal) return SubsetDrawing(n_cuts_, request.key).split_of(request, best, kept_->table, data_.n_categories(request.feature));
  if (!narrow) return kept_->wide_cuts.split_of(request, best, {});
  bool const whole = !data_.has_missing(request.feature);
  return kept_->narrow_cuts.split_of(request, best, whole ? kept_->narrow.cells() : std::span<float const>{});
}

Split SubsetDrawing::split_of(Request const& request, BestCandidate const& best, CategoryTable const& table,
                              std::size_t n_categories) const {
  CategorySet::Split split{request.feature, {}, false};
  std::vector<char> const sides = sides_of(table, best.tag);
  // The lighter side is listed, so that categories nobody knows go to the heavier one.
  char const listed = best.left_is_heavier() ? 0 : 1;
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
    Rng rng(scatter_key(key_));
    for (std::size_t code = 0; code < n_categories; ++code) {
      if (present[code] == 0 && (rng.next() & 1U) != 0) split.codes.push_back(static_cast<Code>(code));
    }
    std::sort(split.codes.begin(), split.codes.end());
  }
  return split;
}

}  // namespace rarewood
