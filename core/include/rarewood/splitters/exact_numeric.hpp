// Every threshold of a numeric attribute: the distinct values at the node in ascending order, a cut between each two of them.
//
// Four ways of walking the values in order, chosen by what the node looks like:
//   histogram  the codes at the node span a short range: count per code, walk the range;
//   anchors    one class dominates and cuts inside its runs cannot win: sort the others only and count the dominant class between them;
//   sort       otherwise: sort (code, class).
// These feed the same CutWalk, so they propose the same cuts (anchors: the same but for cuts that cannot win), and so does the fourth, which
// has a walk of its own for the commonest case:
//   bits       two classes, rows of equal weight, none missing, few equal values: mark the codes in a bitmap, read its bits.
#pragma once

#include <vector>

#include "rarewood/gather.hpp"
#include "rarewood/splitters/bit_walk.hpp"
#include "rarewood/splitters/splitter.hpp"

namespace rarewood {

class CutWalk;

class ExactNumericSplitter {
 public:
  explicit ExactNumericSplitter(Dataset const& data) : data_(data) {}

  // `prune_runs`: cuts strictly inside a run of one class may be left out. Tags decode with `split_of`.
  FeatureResult search(NodeRows const& node, std::size_t feature, double min_cases, bool prune_runs, Candidates& candidates);

  Split split_of(std::size_t feature, Tag tag) const;

 private:
  template <bool Weighted>
  void walk(NodeRows const& node, bool anchors_allowed, CutWalk& cuts);
  template <bool Weighted>
  void walk_histogram(NodeRows const& node, CutWalk& cuts);
  template <bool Weighted>
  void walk_anchors(NodeRows const& node, std::size_t dominant, CutWalk& cuts);
  template <bool Weighted>
  void walk_sorted(NodeRows const& node, CutWalk& cuts);
  template <bool Weighted>
  void count_between_anchors(NodeRows const& node, std::size_t dominant);
  template <bool Weighted>
  std::uint64_t const* sort_keys(std::size_t n);
  std::size_t dominant_class() const;
  bool bits_are_best(bool anchors_allowed) const;

  Dataset const& data_;
  Gathered<Code> codes_;
  BitWalk bits_;
  std::vector<double> scratch_;  // of CutWalk
  // Sort keys: code << 32 | class (unit weights) or index of the cell (weighted).
  std::vector<std::uint64_t> keys_, keys_spare_;
  // Histogram, or counts of the dominant class before and at each anchor. Zero between calls.
  std::vector<std::uint32_t> unit_counts_;
  std::vector<double> weighted_counts_;
  std::vector<Code> anchors_;                // distinct codes of the other classes, ascending, and a sentinel
  std::vector<std::uint32_t> anchor_begin_;  // first key of each anchor
  std::vector<std::uint32_t> grid_;          // first anchor of each of a power of two equal parts of the node's codes
};

}  // namespace rarewood
