// The deciding half of random lines in the plane of two columns: no rows here, see `Drawing`. Each line goes through two points drawn
// uniformly from the node's bounding box (Kang and Ramamohanarao). A nominal column takes part with its categories placed at 0, 1, ...
// in a random order, drawn anew for each line. Lines that leave one side empty are drawn again, a few times.
#pragma once

#include <vector>

#include "search/splitters/line_counting.hpp"
#include "search/splitters/splitter.hpp"

namespace rarewood {

// The categories of a nominal column in the order of their places, for each line; none for numbers.
using LineOrders = std::vector<std::vector<Code>>;

// Lines and which of them are to be counted, whoever has drawn them.
struct LinesToCount {
  std::span<Line const> lines;
  LineOrders const& orders_a;
  LineOrders const& orders_b;
  std::span<std::size_t const> numbers;

  std::span<Code const> order_a(std::size_t line) const { return order_of(orders_a, line); }
  std::span<Code const> order_b(std::size_t line) const { return order_of(orders_b, line); }

 private:
  static std::span<Code const> order_of(LineOrders const& orders, std::size_t line) {
    return orders.empty() ? std::span<Code const>() : std::span<Code const>(orders[line]);
  }
};

class LineDrawing {
 public:
  using Ranges = Box;
  using Counts = LineCounts;

  void begin(std::size_t n_lines, Key key);
  // Without any line in the box the answer is no.
  bool draw(Box const& box, LineCounts const& counts);

  std::span<Line const> lines() const { return lines_; }
  std::span<std::size_t const> to_count() const { return to_count_; }  // the lines drawn last
  LinesToCount asked() const { return {lines_, orders_a_, orders_b_, to_count_}; }

  BestCandidate consider(Box const& box, LineCounts const& counts, Candidates& candidates);

  std::size_t line_of(Tag tag) const { return NumericTag::unpack(tag).cut; }
  // `sides`: of the rows of the node, where they are known.
  Split split_of(Request const& request, BestCandidate const& best, std::span<std::uint8_t const> sides) const;

 private:
  static constexpr int max_redraws = 10;  // of a line that leaves one side empty

  void begin_orders(std::vector<Code> const& categories, std::vector<Code>& last, LineOrders& orders, LineOrders& spare) const;
  void shuffle(std::vector<Code>& categories);
  void propose(std::size_t line, Box const& box, LineCounts const& counts, Candidates& candidates);
  // Not when a side is empty, nor if it goes through one point twice, nor if its numbers overflow.
  static bool is_usable(Line const& line, double n_left, double n_rows);

  Rng rng_{0, 0};
  int n_draws_ = 0;
  std::vector<Line> lines_;
  std::vector<char> usable_;
  std::vector<std::size_t> to_count_;
  std::vector<Code> last_a_, last_b_;  // the order drawn last
  LineOrders orders_a_, orders_b_;
  LineOrders spare_a_, spare_b_;  // memory of orders between columns of categories; either is empty, or orders are
  std::vector<double> one_;       // counts of one line
};

static_assert(Drawing<LineDrawing>);

}  // namespace rarewood
