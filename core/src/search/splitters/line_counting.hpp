// How many points lie left of each of several lines, in the arithmetic of prediction: double precision. Where points are floats, floats
// decide what lies farther from a line than they can err, which is nearly everything, at twice the speed; a line that has a point closer
// to it is counted again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace rarewood {

struct Line {
  double weight_a = 0.0;
  double weight_b = 0.0;  // 1 or -1
  double offset = 0.0;

  bool has_left(double a, double b) const { return weight_a * a + weight_b * b <= offset; }
};

class LineCounting {
 public:
  // The lines to count from now on: all[numbers[0]], all[numbers[1]], ... No point will have a larger |a| or |b|.
  void set(std::span<Line const> all, std::span<std::size_t const> numbers, double most_a, double most_b);

  // Of n points, those left of each line, in the order they were given. Nothing is promised of a line whose numbers are not finite.
  template <class T>
  void count(T const* a, T const* b, std::size_t n, std::int32_t* counts) const;

 private:
  template <class T>
  void count_block(T const* a, T const* b, std::size_t n, std::int32_t* counts) const;

  void make_room(std::size_t n_lines);

  std::size_t n_lines_ = 0;
  // Line k as slopes_[k] * a + b <= bounds_[k], which is its right side where flipped_[k]. Filled up to full groups.
  std::vector<double> slopes_, bounds_;
  std::vector<std::int32_t> flipped_;
  // The same for floats: at most sure_[k] is certainly below the bound, more than possible_[k] certainly above.
  std::vector<float> narrow_slopes_, sure_, possible_;
};

}  // namespace rarewood
