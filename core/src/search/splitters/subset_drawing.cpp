#include "search/splitters/subset_drawing.hpp"

#include <algorithm>

#include "search/node_keys.hpp"

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
  return candidates.finish_column();
}

std::vector<char> SubsetDrawing::sides_of(CategoryTable const& table, Tag tag) const {
  Rng rng(key_);
  std::vector<char> side(table.size());
  for (std::size_t c = 0; c <= tag; ++c) draw(rng, side);
  return side;
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
