// What rows say when a node asks them, small beside the rows. Answers of different rows add up, so it does not matter whether they come from
// one table or from many parts of one.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "rarewood/types.hpp"

namespace rarewood {

// Adds numbers one by one; both are of the same length, or the first is still empty.
inline void add_each(std::vector<double>& sums, std::vector<double> const& more) {
  if (sums.empty()) sums.resize(more.size(), 0.0);
  for (std::size_t i = 0; i < more.size(); ++i) sums[i] += more[i];
}

// The cells of one numeric column at a node.
template <class T>
struct Range {
  T low{};  // smallest and largest cell that is not missing; meaningless without any
  T high{};
  std::size_t n_present = 0;    // cells that are not missing
  std::vector<double> missing;  // class counts and cases of the others

  bool any_missing() const { return missing.back() > 0.0; }
  // Nothing to split on here, nor below.
  bool is_constant() const { return n_present == 0 || (low == high && !any_missing()); }

  Range& operator+=(Range const& more) {
    if (more.n_present > 0) {
      low = n_present == 0 ? more.low : std::min(low, more.low);
      high = n_present == 0 ? more.high : std::max(high, more.high);
      n_present += more.n_present;
    }
    add_each(missing, more.missing);
    return *this;
  }
};

// Class counts, and cases, of the rows left of each of several candidates: class by class, then cases, `n` apart.
struct LeftCounts {
  std::size_t n = 0;
  std::vector<double> counts;

  void reset(std::size_t n_candidates, std::size_t n_classes) {
    n = n_candidates;
    counts.assign(n * (n_classes + 1), 0.0);
  }
  std::size_t n_classes() const { return counts.size() / n - 1; }
  double* of(std::size_t cls) { return counts.data() + cls * n; }
  double const* of(std::size_t cls) const { return counts.data() + cls * n; }

  LeftCounts& operator+=(LeftCounts const& more) {
    n = more.n;
    add_each(counts, more.counts);
    return *this;
  }
};

// Class counts per category of a nominal column at a node. Missing values, if any, are one more category: missing_code, last.
struct CategoryTable {
  std::size_t stride = 0;        // n_classes counts, then cases
  std::vector<Code> categories;  // present ones, ascending
  std::vector<double> counts;    // `stride` per category

  std::size_t size() const { return categories.size(); }
  bool any_missing() const { return !categories.empty() && categories.back() == missing_code; }
  double const* row(std::size_t slot) const { return counts.data() + slot * stride; }

  bool class_present(std::size_t cls) const {
    for (std::size_t slot = 0; slot < size(); ++slot) {
      if (row(slot)[cls] > 0.0) return true;
    }
    return false;
  }

  CategoryTable& operator+=(CategoryTable const& more) {
    CategoryTable sum{more.stride, {}, {}};
    std::set_union(categories.begin(), categories.end(), more.categories.begin(), more.categories.end(),
                   std::back_inserter(sum.categories));
    sum.counts.resize(sum.size() * sum.stride, 0.0);
    for (CategoryTable const* part : {static_cast<CategoryTable const*>(this), &more}) {
      for (std::size_t slot = 0; slot < part->size(); ++slot) {
        auto const found = std::lower_bound(sum.categories.begin(), sum.categories.end(), part->categories[slot]);
        double* const to = sum.counts.data() + static_cast<std::size_t>(found - sum.categories.begin()) * sum.stride;
        for (std::size_t j = 0; j < sum.stride; ++j) to[j] += part->row(slot)[j];
      }
    }
    return *this = std::move(sum);
  }
};

// The plane of two columns at a node, for the rows that have both.
struct Box {
  struct Side {
    double low = 0.0;  // of numbers
    double high = 0.0;
    std::vector<Code> categories;  // of a nominal column: those present, ascending

    // Of the coordinates: categories are placed at 0, 1, ...
    double from() const { return categories.empty() ? low : 0.0; }
    double to() const { return categories.empty() ? high : static_cast<double>(categories.size() - 1); }
  };

  Side a, b;
  std::size_t n_rows = 0;
  std::vector<double> missing;  // class counts and cases of the rows that miss one of the two

  bool any_missing() const { return missing.back() > 0.0; }
  // Known only when every row has both columns.
  bool is_constant(Side const& side) const { return side.from() == side.to() && !any_missing(); }

  Box& operator+=(Box const& more) {
    if (more.n_rows > 0) {
      add(a, more.a);
      add(b, more.b);
      n_rows += more.n_rows;
    }
    add_each(missing, more.missing);
    return *this;
  }

 private:
  void add(Side& side, Side const& more) const {
    side.low = n_rows == 0 ? more.low : std::min(side.low, more.low);
    side.high = n_rows == 0 ? more.high : std::max(side.high, more.high);
    std::vector<Code> both;
    std::set_union(side.categories.begin(), side.categories.end(), more.categories.begin(), more.categories.end(),
                   std::back_inserter(both));
    side.categories = std::move(both);
  }
};

// Rows left of each of several lines.
struct LineCounts {
  LeftCounts left;
  std::vector<double> rows;  // per line: how many, whatever they weigh

  void reset(std::size_t n_lines, std::size_t n_classes) {
    left.reset(n_lines, n_classes);
    rows.assign(n_lines, 0.0);
  }

  LineCounts& operator+=(LineCounts const& more) {
    left += more.left;
    add_each(rows, more.rows);
    return *this;
  }
};

}  // namespace rarewood
