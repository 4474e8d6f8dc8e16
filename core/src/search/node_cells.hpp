// One numeric column at one node: its cells gathered into a contiguous buffer, still grouped by class, missing ones counted apart.
// Gathering is where the cache misses are, so it happens once per column and node.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>
#include <vector>

#include "samples/sample.hpp"
#include "search/answers.hpp"

namespace rarewood {

inline bool is_missing(Code cell) { return cell == missing_code; }
inline bool is_missing(float cell) { return cell != cell; }
inline bool is_missing(double cell) { return cell != cell; }

// to[i] = from[positions[i]], four at a time: the loads do not wait for each other.
template <class T, class Index, class To>
void gather_cells(T const* from, Index const* positions, std::size_t n, To* to) {
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    T const a = from[positions[i]], b = from[positions[i + 1]], c = from[positions[i + 2]], d = from[positions[i + 3]];
    to[i] = static_cast<To>(a);
    to[i + 1] = static_cast<To>(b);
    to[i + 2] = static_cast<To>(c);
    to[i + 3] = static_cast<To>(d);
  }
  for (; i < n; ++i) to[i] = static_cast<To>(from[positions[i]]);
}

// Widens [low, high] to hold n cells, none of them missing. The order does not matter, which the compiler could not know of floats
// without being told.
template <class T>
[[gnu::always_inline]] inline void widen_to(T const* cells, std::size_t n, T& low, T& high) {
  T least = low;
  T most = high;
#pragma omp simd reduction(min : least) reduction(max : most)
  for (std::size_t i = 0; i < n; ++i) {
    least = cells[i] < least ? cells[i] : least;
    most = cells[i] > most ? cells[i] : most;
  }
  low = least;
  high = most;
}

void widen(float const* cells, std::size_t n, float& low, float& high);
void widen(double const* cells, std::size_t n, double& low, double& high);
inline void widen(Code const* cells, std::size_t n, Code& low, Code& high) { widen_to(cells, n, low, high); }

template <class T>
class NodeCells {
 public:
  void gather(NodeRows const& node, std::span<T const> column, bool has_missing) {
    std::size_t const n_classes = node.n_classes();
    range_.missing.assign(n_classes + 1, 0.0);
    class_begin_.resize(n_classes + 1);
    if (cells_.size() < node.size()) cells_.resize(node.size());
    if (has_missing) {
      gather_present(node, column);
    } else {
      gather_all(node, column);
    }
  }

  // Cells that are not missing.
  std::size_t size() const { return class_begin_.back(); }
  std::size_t n_classes() const { return class_begin_.size() - 1; }
  std::span<T const> cells() const { return {cells_.data(), size()}; }
  std::span<T const> cells(std::size_t cls) const { return cells().subspan(class_begin_[cls], class_begin_[cls + 1] - class_begin_[cls]); }
  std::size_t class_begin(std::size_t cls) const { return class_begin_[cls]; }
  std::size_t class_end(std::size_t cls) const { return class_begin_[cls + 1]; }
  std::size_t const* class_begins() const { return class_begin_.data(); }  // n_classes + 1
  std::size_t class_of(std::size_t i) const {
    auto const after = std::upper_bound(class_begin_.begin(), class_begin_.end(), i);
    return static_cast<std::size_t>(after - class_begin_.begin()) - 1;
  }

  // Parallel to cells(); empty: unit weights.
  std::span<double const> weights() const { return weights_; }

  Range<T> const& range() const { return range_; }
  // Of codes: how many there are from the lowest to the highest.
  std::size_t width() const { return static_cast<std::size_t>(range_.high - range_.low) + 1; }

 private:
  // In blocks that stay in the first-level cache: gathering and the search for the extremes each make a tight loop of their own.
  void gather_all(NodeRows const& node, std::span<T const> column) {
    constexpr std::size_t block = 2048;
    T const* const from = column.data();
    Position const* const positions = node.positions.data();
    T* const cells = cells_.data();
    T low = node.size() == 0 ? T{} : from[positions[0]];
    T high = low;
    for (std::size_t begin = 0; begin < node.size(); begin += block) {
      std::size_t const end = std::min(begin + block, node.size());
      gather_cells(from, positions + begin, end - begin, cells + begin);
      widen(cells + begin, end - begin, low, high);
    }
    range_.low = low;
    range_.high = high;
    range_.n_present = node.size();
    std::copy(node.class_begin.begin(), node.class_begin.end(), class_begin_.begin());
    weights_ = node.weights;
  }

  void gather_present(NodeRows const& node, std::span<T const> column) {
    std::size_t const n_classes = node.n_classes();
    bool const weighted = !node.weights.empty();
    if (weighted && weight_buffer_.size() < node.size()) weight_buffer_.resize(node.size());
    std::size_t kept = 0;
    for (std::size_t j = 0; j < n_classes; ++j) {
      class_begin_[j] = kept;
      for (std::size_t i = node.class_begin[j]; i < node.class_begin[j + 1]; ++i) {
        T const cell = column[node.positions[i]];
        if (is_missing(cell)) {
          range_.missing[j] += node.weight(i);
          range_.missing[n_classes] += node.cases_of(node.weight(i));
          continue;
        }
        range_.low = kept == 0 ? cell : std::min(range_.low, cell);
        range_.high = kept == 0 ? cell : std::max(range_.high, cell);
        if (weighted) weight_buffer_[kept] = node.weights[i];
        cells_[kept++] = cell;
      }
    }
    class_begin_[n_classes] = kept;
    range_.n_present = kept;
    weights_ = weighted ? std::span<double const>(weight_buffer_.data(), kept) : std::span<double const>{};
  }

  std::vector<T> cells_;
  std::vector<double> weight_buffer_;
  std::span<double const> weights_;
  std::vector<std::size_t> class_begin_;
  Range<T> range_;
};

}  // namespace rarewood
