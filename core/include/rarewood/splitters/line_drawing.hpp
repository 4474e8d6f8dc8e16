// The deciding half of random lines in the plane of two attributes: no rows here, see `Drawing`. Each line goes through two points drawn
// uniformly from the node's bounding box (Kang and Ramamohanarao). A nominal attribute takes part with its categories placed at 0, 1, ...
// in a random order, drawn anew for each line. Lines that leave one side empty are drawn again, a few times.
#pragma once

#include <vector>

#include "rarewood/splitters/splitter.hpp"

namespace rarewood {

struct Line {
  double weight_a = 0.0;
  double weight_b = 0.0;  // 1 or -1
  double offset = 0.0;
  std::vector<Code> map_a;  // nominal: the categories in the order of their places
  std::vector<Code> map_b;

  bool has_left(double a, double b) const { return weight_a * a + weight_b * b <= offset; }
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

  BestCandidate consider(Box const& box, LineCounts const& counts, Candidates& candidates);

  Line const& line_of(Tag tag) const { return lines_[NumericTag::unpack(tag).cut]; }
  // `sides`: of the rows of the node, where they are known.
  Split split_of(Request const& request, BestCandidate const& best, std::span<std::uint8_t const> sides) const {
    Line const& line = line_of(best.tag);
    return Plane::Split{request.feature,
                        request.other,
                        line.weight_a,
                        line.weight_b,
                        line.offset,
                        line.map_a,
                        line.map_b,
                        NumericTag::unpack(best.tag).missing(),
                        sides};
  }

 private:
  static constexpr int max_redraws = 10;  // of a line that leaves one side empty

  void draw_line(Box const& box, Line& line);
  void shuffle(std::vector<Code>& categories);
  // Not when a side is empty, nor if it goes through one point twice, nor if its numbers overflow.
  static bool is_usable(Line const& line, double n_left, double n_rows);

  Rng rng_{0, 0};
  int n_draws_ = 0;
  std::vector<Line> lines_;
  std::vector<char> usable_;
  std::vector<std::size_t> to_count_;
  std::vector<Code> order_a_, order_b_;  // of the categories, as shuffled last
  std::vector<double> with_missing_;
};

static_assert(Drawing<LineDrawing>);

}  // namespace rarewood
