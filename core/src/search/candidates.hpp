// A batch of binary candidates of one feature waiting for their scores, and the best seen so far.
// Splitters propose left-hand counts; right-hand counts, class weights, minimum sizes, monotone constraints, scoring and ties are settled here,
// once for all of them.
// Where counts are whole and the criterion has a bound (screen.hpp), they wait as float32 and only those that can still win are scored.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "rarewood/monotone.hpp"
#include "rarewood/scorer.hpp"
#include "rarewood/types.hpp"
#include "samples/sample.hpp"
#include "search/request.hpp"

namespace rarewood {

using Tag = std::uint64_t;  // the splitter's own name for a candidate

// A numeric candidate as a Tag: the cut as a code, or by the splitter's own number for it.
struct NumericTag {
  Code cut;
  bool missing_left;
  bool missing_seen;

  Tag pack() const { return Tag{cut} | Tag{missing_left} << 32 | Tag{missing_seen} << 33; }
  // Which side missing values take, if the node had some.
  std::optional<bool> missing() const { return missing_seen ? std::optional<bool>(missing_left) : std::nullopt; }
  static NumericTag unpack(Tag tag) { return {static_cast<Code>(tag), (tag >> 32 & 1U) != 0, (tag >> 33 & 1U) != 0}; }
};

// How the rows of a node are shared out among its children.
struct TwoSides {
  double left_share;  // of the node's weight
};
struct ManySides {
  double split_info;  // entropy of the children's sizes in bits
};

struct BestCandidate {
  bool found = false;
  double score = 0.0;
  double tie_break = 0.0;  // Hellinger distance, when the criterion breaks ties by it
  Tag tag = 0;
  std::variant<TwoSides, ManySides> sides = TwoSides{0.0};

  bool left_is_heavier() const { return std::get<TwoSides>(sides).left_share > 0.5; }
  // Entropy of the children's sizes in bits.
  double split_info() const;

  // True when `this` must give way to `other`, which comes later in the order of candidates.
  bool gives_way_to(BestCandidate const& other) const;
};

class Candidates {
 public:
  // `tie_breaker` may be null. class_weights: one per class, or empty. signs: empty, or there are two classes. may_screen: false to score
  // every candidate.
  Candidates(Scorer& scorer, Scorer* tie_breaker, std::size_t n_classes, std::span<double const> class_weights, Signs signs,
             bool may_screen);

  // `totals`: n_classes counts before class weights, then cases. whole: every count proposed will be a whole number.
  void enter_node(Counts totals, bool whole, ShareBounds bounds);
  // A candidate that scores no more than this need not be found; until the next node or floor.
  void set_floor(double floor) { floor_ = floor; }
  void begin_column(Request const& request);
  // Where trees are restrained: the ways that the candidates proposed next leave open. A column has those of its sign by itself.
  bool restrained() const { return !signs_.empty(); }
  void face(Ways ways) { ways_ = ways; }
  Ways along_line(double weight_a, double weight_b) const { return Ways::along(weight_a, sign_) & Ways::along(weight_b, other_sign_); }
  // Left-hand counts (n_classes, before class weights) and cases. Ignored when a side is too small, or breaks a constraint; says whether it
  // was taken.
  bool propose(double const* left, Tag tag);
  // A numeric cut where rows of the node miss the column, proposed twice: with them on the left, then on the right. `missing`: their counts
  // and cases. Says whether either was taken.
  bool propose_both_sides(double const* left, double const* missing, Code cut);
  // Like `propose` for n candidates tagged first_tag, first_tag + 1, ...: counts class by class, then cases, `n` apart.
  void propose_all(double const* left, std::size_t n, Tag first_tag);
  // Like `propose` for n cuts of a numeric column between rows that weigh 1 each, of two classes: rows of each class up to the cut.
  // Returns how many were taken.
  std::size_t propose_cuts(std::uint32_t const* first, std::uint32_t const* second, Code const* cuts, std::size_t n);
  // Where candidates are screened and trees not restrained, counts may be written where they wait: left, before class weights, of the present classes only, class by
  // class, `stride` apart; minimum sizes are the writer's to observe. Then `commit` as many as were written.
  struct Room {
    float* left;
    Tag* tags;
    std::size_t stride;
    std::size_t size;
  };
  bool screening() const { return screening_; }
  std::span<std::uint32_t const> present() const { return {screen_node_.cls.data(), screen_node_.n_present}; }
  RunningScore running_score() const { return runs_ && class_weights_.empty() ? scorer_.running_score() : RunningScore{}; }
  // A candidate at or below this score cannot change the choice.
  double least_wanted() const { return best_.found ? std::max(best_.score + tie_tolerance, floor_) : floor_; }
  // For at least so many, up to 16.
  Room room(std::size_t least = 1);
  void commit(std::size_t n) { size_ += n; }
  BestCandidate finish_column();

  // Instead, for features whose candidates wait together, no more of them than `capacity`: those of feature i end before ends[i]. The best
  // of each feature, if it can still win; otherwise it is not found.
  std::size_t capacity() const { return capacity_; }
  std::size_t size() const { return size_; }
  void finish_columns(std::span<std::size_t const> ends, std::vector<BestCandidate>& bests);

  // A split into any number of children as a candidate; children x classes, class weights applied.
  BestCandidate score_whole(DenseTable const& table);

  Counts parent() const { return parent_; }  // class counts of the node, class weights applied
  double parent_total() const { return parent_total_; }
  std::span<double const> class_weights() const { return class_weights_; }

 private:
  // Whether the children's shares of the second class are known, inside the bounds, and go one of the open ways.
  bool keep_order(double const* left) const;
  double weighted(std::size_t cls, double count) const { return class_weights_.empty() ? count : count * class_weights_[cls]; }

  bool all_weigh(Counts totals) const;
  void propose_large(double const* left, std::size_t n, Tag first_tag);

  static constexpr std::size_t few_classes = 3;  // scored as fast as bounded, if alone

  void flush();
  void flush_with_tie_breaker();
  void flush_screened();
  // The one that promises most among the first n, all bounded, if it can win; scored.
  struct Promise {
    std::size_t candidate;
    float bound;
    double score;
  };
  std::optional<Promise> most_promising(std::size_t n, double limit);
  // The best of [begin, end), unless it scores no more than `limit`.
  void take_best_of(std::size_t begin, std::size_t end, double limit, Promise const& promise);
  double exact_score(std::size_t i);
  bool same_counts(std::size_t a, std::size_t b) const;
  void take_if_best(std::size_t i, double score);
  double counted(std::size_t cls, std::size_t i) const;
  double right_of(std::size_t cls, double left) const;
  BestCandidate candidate(std::size_t i) const;
  double hellinger_of(std::size_t i);

  Scorer& scorer_;
  Scorer* tie_breaker_;
  std::size_t n_classes_;
  std::size_t capacity_;
  std::size_t stride_;
  std::vector<double> class_weights_;
  Signs signs_;
  ShareBounds bounds_of_node_;
  std::int8_t sign_ = 0, other_sign_ = 0;  // of the columns asked about
  Ways ways_;
  std::vector<double> parent_;
  double parent_total_ = 0.0;
  double node_cases_ = 0.0;
  double min_cases_ = 1.0;
  std::vector<double> left_, right_;  // class by class, `stride_` apart
  std::vector<double> scores_;
  std::vector<Tag> tags_;
  std::size_t size_ = 0;
  BestCandidate best_;

  bool may_screen_;
  bool screening_ = false;  // at this node
  bool runs_ = false;       // counts are whole and candidates may be left out
  double floor_ = -INFINITY;
  ScreenNode screen_node_;
  std::vector<float> counts_;  // left, before class weights, class by class, `stride_` apart
  std::vector<float> bounds_;
  std::vector<double> one_;           // left and right counts of one candidate
  std::vector<double> with_missing_;  // left counts and cases of one candidate
};

}  // namespace rarewood
