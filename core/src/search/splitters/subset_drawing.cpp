#include "search/splitters/subset_drawing.hpp"

#include <algorithm>

#include "search/node_keys.hpp"

namespace rarewood {

namespace {

constexpr int max_redraws = 64;  // of a subset that came out empty or full: happens once in 2^63 with two categories

// Calls take(slot, is_left) for every category until a draw leaves both sides something; begin() before each draw. False, after many draws:
// the subset is empty or everything.
template <class Begin, class Take>
bool draw(Rng& rng, std::size_t n_slots, Begin begin, Take take) {
  for (int attempt = 0; attempt < max_redraws; ++attempt) {
    begin();
    std::size_t n_left = 0;
    for (std::size_t s = 0; s < n_slots; ++s) {
      std::uint64_t const is_left = rng.next() & 1U;
      take(s, is_left);
      n_left += is_left;
    }
    if (n_left != 0 && n_left != n_slots) return true;
  }
  return false;
}

// Stride: that of the table, or 0 for any.
template <std::size_t Stride>
void propose_drawn(Rng rng, CategoryTable const& table, std::size_t n_cuts, std::vector<double>& left, Candidates& candidates) {
  std::size_t const stride = Stride == 0 ? table.stride : Stride;
  left.resize(stride);
  double few[Stride == 0 ? 1 : Stride];
  double* const sums = Stride == 0 ? left.data() : few;
  for (std::size_t c = 0; c < n_cuts; ++c) {
    bool const drawn = draw(
        rng, table.size(), [&] { std::fill_n(sums, stride, 0.0); },
        [&](std::size_t s, std::uint64_t is_left) {
          double const* const row = table.row(s);
          auto const times = static_cast<double>(is_left);  // a branch would be wrong half of the time
          for (std::size_t j = 0; j < stride; ++j) sums[j] += times * row[j];
        });
    if (drawn) candidates.propose(sums, c);
  }
}

}  // namespace

BestCandidate SubsetDrawing::consider(CategoryTable const& table, Candidates& candidates) const {
  std::vector<double> left;
  if (table.stride == 3) {
    propose_drawn<3>(Rng(key_), table, n_cuts_, left, candidates);
  } else {
    propose_drawn<0>(Rng(key_), table, n_cuts_, left, candidates);
  }
  return candidates.finish_column();
}

std::vector<char> SubsetDrawing::sides_of(CategoryTable const& table, Tag tag) const {
  Rng rng(key_);
  std::vector<char> side(table.size());
  for (std::size_t c = 0; c <= tag; ++c)
    draw(rng, side.size(), [] {}, [&side](std::size_t s, std::uint64_t is_left) { side[s] = static_cast<char>(is_left); });
  return side;
}

Split SubsetDrawing::split_of(Request const& request, BestCandidate const& best, CategoryTable const& table,
                              std::size_t n_categories) const {
  CategorySet::Split split{request.feature, {}, false};
  std::vector<char> const sides = sides_of(table, best.tag);
  // The lighter side is listed, so that categories nobody knows go to the heavier one.
  char const listed = best.left_is_heavier() ? 0 : 1;
  bool const scatter = n_categories <= scatter_up_to;
  Rng rng(scatter_key(key_));
  Code next = 0;
  auto const scatter_before = [&](Code end) {
    for (; scatter && next < end; ++next) {
      if ((rng.next() & 1U) != 0) split.codes.push_back(next);
    }
    next = end + 1;
  };
  for (std::size_t s = 0; s < table.size(); ++s) {
    Code const code = table.categories[s];
    if (code == missing_code) {
      split.missing_left = sides[s] == listed;
      break;
    }
    scatter_before(code);
    if (sides[s] == listed) split.codes.push_back(code);
  }
  scatter_before(static_cast<Code>(n_categories));
  return split;
}

}  // namespace rarewood
