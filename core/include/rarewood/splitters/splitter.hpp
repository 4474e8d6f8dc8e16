// What a search of one feature of one node leaves behind, and the split a node finally gets.
#pragma once

#include <span>
#include <vector>

#include "rarewood/candidates.hpp"
#include "rarewood/tree.hpp"

namespace rarewood {

struct FeatureResult {
  bool constant = false;  // nothing to split on here, nor below: one value, or only missing ones
  BestCandidate best;
  double n_thresholds = 0.0;  // exact numeric splits: how many cuts were wide enough to be candidates

  static FeatureResult nothing_to_split() {
    FeatureResult result;
    result.constant = true;
    return result;
  }
};

// A numeric candidate as a Tag: the cut as a code, or by the splitter's own number for it.
struct NumericTag {
  Code cut;
  bool missing_left;
  bool missing_seen;

  Tag pack() const { return Tag{cut} | Tag{missing_left} << 32 | Tag{missing_seen} << 33; }
  static NumericTag unpack(Tag tag) { return {static_cast<Code>(tag), (tag >> 32 & 1U) != 0, (tag >> 33 & 1U) != 0}; }
};

// A chosen split in the dataset's own terms.
struct Split {
  SplitKind kind = SplitKind::leaf;
  std::uint32_t feature = 0;
  bool by_value = false;  // numeric: value <= cut_value goes left; otherwise code <= cut
  Code cut = 0;
  double cut_value = 0.0;
  std::span<float const> cells{};  // by_value: the cells it divides, row by row of the node, when they are still at hand
  bool missing_left = false;
  bool missing_seen = false;  // the node held missing values of the feature, so their side was learned
  std::vector<Code> codes;    // subset: the codes that go left; multiway: the codes of the children
  Hyperplane plane{};
  std::span<std::uint8_t const> sides{};  // hyperplane: 0 or 1 for each row of the node, when already known
  std::vector<Code> map_a;                // hyperplane on a nominal attribute: its categories in coordinate order
  std::vector<Code> map_b;
};

}  // namespace rarewood
