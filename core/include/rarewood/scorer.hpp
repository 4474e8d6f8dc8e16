// A criterion behind one virtual call per batch of candidates. Splitters hold a Scorer and never learn which criterion runs;
// the bindings make a Scorer of a Python function in the same way.
#pragma once

#include <memory>
#include <span>

#include "rarewood/criterion.hpp"
#include "rarewood/screen.hpp"

namespace rarewood {

// Left and right counts of `size` binary candidates, class by class: count of class j in candidate i is left[j * stride + i].
struct BinaryBatch {
  double const* left;
  double const* right;
  std::size_t stride;
  std::size_t size;
  std::size_t n_classes;
};

class Scorer {
 public:
  virtual ~Scorer() = default;
  virtual SearchTraits traits() const = 0;
  // Whether a call may take as long as it likes.
  virtual bool is_slow() const { return false; }
  // Called before any score of a node. `parent` must stay valid until the next call.
  virtual void enter_node(Counts parent) = 0;
  virtual void score(BinaryBatch const& batch, std::span<double> scores) = 0;
  virtual double score(DenseTable const& table) = 0;
  // Upper bounds on the scores of candidates at this node, if it has any (see screen.hpp).
  virtual bool has_bound() const { return false; }
  virtual void bound(ScreenBatch const& /*batch*/, float* /*bounds*/) {}
  virtual RunningScore running_score() const { return {}; }
  // An independent copy for another thread.
  virtual std::unique_ptr<Scorer> clone() const = 0;
};

}  // namespace rarewood
