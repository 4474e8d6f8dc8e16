// Finds the split of one node without seeing its rows: says which feature, or pair, to ask about next, hears how well it splits, and decides.
// Where the search of a node stands is a value; a node may wait for its answers while others are searched.
//
//   begin -> ask -> (rows: search) -> consider -> ask ... -> decide
//
// What stands in the brackets is done by `RowSearch` for rows in memory; for rows elsewhere it falls into ranges, cuts and counts, each a
// message (see `Drawing` in splitters/splitter.hpp, and answers.hpp).
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/column_set.hpp"
#include "growth/growth.hpp"
#include "search/selection.hpp"

namespace rarewood {

// Where the search of one node stands.
struct SearchState {
  std::vector<double> totals;  // class counts and cases of the node
  bool whole = false;          // every row counts as a whole number
  ColumnSet features{0};       // those not known to be constant
  Key key{0, 0};               // of the node
  ShareBounds bounds;          // of the node
  Rng order{0, 0};             // the node's own stream
  bool pairs = false;          // pairs of features are drawn; otherwise features
  std::size_t n_wanted = 0;    // how many of them to try
  std::vector<std::uint32_t> members;
  std::size_t n_asked = 0;
  std::size_t n_tried = 0;  // of those asked, not constant
  bool any_valid = false;   // one of those tried has a candidate
  Contest contest;
};

class NodeSearch {
 public:
  NodeSearch(Dataset const& data, Scorer& scorer, std::span<double const> class_weights, GrowthOptions const& options);

  // `totals`: class counts and cases. whole: every row counts as a whole number; false is always right, but slower.
  void begin(SearchState& state, Counts totals, bool whole, ColumnSet features, Key key, ShareBounds bounds = {});
  // Before candidates of this node are scored, if another one was begun or resumed in between.
  void resume(SearchState& state);

  // What the node wants to know next, if anything.
  std::optional<Request> ask(SearchState& state) const;
  // In the order of asking. True when the request is the best so far. Features found constant leave the set.
  bool consider(SearchState& state, Request const& request, ColumnResult const& result) const;
  // `consider` in two steps, for a request that splits something and is scored together with others: at once, whether it has a candidate;
  // later, how good its best is.
  void note_tried(SearchState& state, bool valid) const;
  bool compare(SearchState& state, Request const& request, ColumnResult const& result) const;
  // Not found: nothing splits the node.
  Choice decide(SearchState const& state) const;
  double improvement(Choice const& choice);

  Candidates& candidates() { return candidates_; }
  // Nothing that scores no more than this can still be decided for.
  double floor(SearchState const& state) const { return selection_->floor(state.contest); }
  double node_weight() const { return candidates_.parent_total(); }
  std::span<double const> class_weights() const { return candidates_.class_weights(); }

 private:
  void begin_columns(SearchState& state, std::size_t n_wanted) const;
  std::optional<Request> ask_pair(SearchState& state) const;
  std::optional<Request> ask_column(SearchState& state) const;

  Dataset const& data_;
  GrowthOptions const& options_;
  std::unique_ptr<Selection> selection_;
  Candidates candidates_;
};

}  // namespace rarewood
