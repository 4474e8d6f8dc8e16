// Four doubles that are worked on in step. For loops over rows whose body goes through a few numbers: compilers left to themselves take
// several rows at once, and pick the numbers of each one by one.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rarewood {

#if defined(__GNUC__)

typedef double Four __attribute__((vector_size(4 * sizeof(double))));
using FourFlags = decltype(Four{} <= Four{});  // -1 or 0 each

[[gnu::always_inline]] inline void load(double const* from, Four& to) {
  typedef double Anywhere __attribute__((vector_size(4 * sizeof(double)), aligned(alignof(double)), may_alias));
  to = *reinterpret_cast<Anywhere const*>(from);
}

// sum += number where the flag is set.
[[gnu::always_inline]] inline void add_where(FourFlags const& flags, double number, Four& sum) {
  Four const none = {};
  sum += flags ? none + number : none;
}

#else

struct FourFlags {
  std::int64_t lanes[4];  // -1 or 0 each

  std::int64_t operator[](std::size_t k) const { return lanes[k]; }
  FourFlags& operator-=(FourFlags const& other) {
    for (std::size_t k = 0; k < 4; ++k) lanes[k] -= other.lanes[k];
    return *this;
  }
};

struct Four {
  double lanes[4];

  double operator[](std::size_t k) const { return lanes[k]; }
  friend Four operator*(Four const& a, double b) { return {a[0] * b, a[1] * b, a[2] * b, a[3] * b}; }
  friend Four operator+(Four const& a, Four const& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]}; }
  friend FourFlags operator<=(Four const& a, Four const& b) {
    return {{a[0] <= b[0] ? -1 : 0, a[1] <= b[1] ? -1 : 0, a[2] <= b[2] ? -1 : 0, a[3] <= b[3] ? -1 : 0}};
  }
};

inline void load(double const* from, Four& to) { to = {from[0], from[1], from[2], from[3]}; }

inline void add_where(FourFlags const& flags, double number, Four& sum) {
  for (std::size_t k = 0; k < 4; ++k) sum.lanes[k] += flags[k] != 0 ? number : 0.0;
}

#endif

}  // namespace rarewood
