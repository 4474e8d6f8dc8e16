// One request of a node search, worked off by questions to rows that are elsewhere.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "parts/part_messages.hpp"
#include "search/splitters/splitter.hpp"

namespace rarewood {

class RemoteRequest {
 public:
  explicit RemoteRequest(Request const& request) : request_(request) {}
  virtual ~RemoteRequest() = default;

  Request const& request() const { return request_; }
  bool is_done() const { return is_done_; }
  // While it is not done; tree and node are still open.
  Question question() const {
    Question question = pose();
    question.feature = request_.feature;
    question.other = request_.other;
    return question;
  }
  // The answer of all rows to the question.
  virtual void hear(Answer const& answer) = 0;

  // When it is done. The candidates must be those of the node.
  ColumnResult const& result(Candidates& candidates) {
    if (!is_scored_) {
      candidates.begin_column(request_);
      result_ = score(candidates);
      is_scored_ = true;
    }
    return result_;
  }
  // The split behind the best candidate, and classes and cases of its children.
  virtual std::pair<Split, std::vector<std::vector<double>>> chosen(BestCandidate const& best, std::vector<double> const& totals) const = 0;

 protected:
  virtual Question pose() const = 0;
  virtual ColumnResult score(Candidates& candidates) = 0;
  void be_done() { is_done_ = true; }

 private:
  Request request_;
  bool is_done_ = false;
  bool is_scored_ = false;
  ColumnResult result_;
};

// wide: which columns of numbers are float64.
std::unique_ptr<RemoteRequest> make_remote_request(Dataset const& table, std::span<std::uint8_t const> wide, Request const& request,
                                                   std::size_t n_cuts);

}  // namespace rarewood
