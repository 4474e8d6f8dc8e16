// A batch of binary candidates of one feature waiting for their scores, and the best seen so far.
// Splitters propose left-hand counts; right-hand counts, class weights, minimum sizes, scoring and ties are settled here, once for all of them.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "rarewood/sample.hpp"
#include "rarewood/scorer.hpp"
#include "rarewood/types.hpp"

namespace rarewood {

using Tag = std::uint64_t;  // the splitter's own name for a candidate

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
  // `tie_breaker` may be null. class_weights: one per class, or empty.
  Candidates(Scorer& scorer, Scorer* tie_breaker, std::size_t n_classes, std::span<double const> class_weights);

  // `totals`: n_classes counts before class weights, then cases.
  void enter_node(Counts totals);
  void begin_feature(double min_cases);
  // Left-hand counts (n_classes, before class weights) and cases. Ignored when a side is too small; says whether it was taken.
  bool propose(double const* left, Tag tag);
  // The same for n candidates tagged first_tag, first_tag + 1, ...: counts class by class, then cases, `n` apart.
  void propose_all(double const* left, std::size_t n, Tag first_tag);
  // The same for n cuts of a numeric attribute between rows that weigh 1 each, of two classes: rows of each class up to the cut.
  // Returns how many were taken.
  std::size_t propose_cuts(std::uint32_t const* first, std::uint32_t const* second, Code const* cuts, std::size_t n);
  BestCandidate finish_feature();

  // A split into any number of children as a candidate; children x classes, class weights applied.
  BestCandidate score_whole(DenseTable const& table);

  Counts parent() const { return parent_; }  // class counts of the node, class weights applied
  double parent_total() const { return parent_total_; }
  std::span<double const> class_weights() const { return class_weights_; }

 private:
  void flush();
  void flush_with_tie_breaker();
  double right_of(std::size_t cls, double left) const;
  BestCandidate candidate(std::size_t i) const;
  double hellinger_of(std::size_t i);

  Scorer& scorer_;
  Scorer* tie_breaker_;
  std::size_t n_classes_;
  std::size_t capacity_;
  std::size_t stride_;
  std::vector<double> class_weights_;
  std::vector<double> parent_;
  double parent_total_ = 0.0;
  double node_cases_ = 0.0;
  double min_cases_ = 1.0;
  std::vector<double> left_, right_;  // class by class, `stride_` apart
  std::vector<double> scores_;
  std::vector<Tag> tags_;
  std::size_t size_ = 0;
  BestCandidate best_;
};

}  // namespace rarewood
