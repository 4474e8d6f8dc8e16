// Few rows and few cuts: counts the cells at most each cut, class by class. All cuts of a cell at once, all classes in one call, for most
// classes of a small node have one row or none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "search/answers.hpp"

namespace rarewood {

// Cells of one class that is present: they end before `end`, where those of the next one begin.
struct ClassSection {
  std::uint32_t cls;
  std::uint32_t end;
};

inline constexpr std::size_t cut_lanes = 16;

// cuts: cut_lanes of them, of which `n` count. Of class j at cut c: counts[j * stride + c]; nothing is written for absent classes.
void count_cuts(float const* cells, std::span<ClassSection const> sections, float const* cuts, std::size_t n, double* counts,
                std::size_t stride);
void count_cuts(double const* cells, std::span<ClassSection const> sections, double const* cuts, std::size_t n, double* counts,
                std::size_t stride);
// Writes all cut_lanes.
void count_cuts(float const* cells, std::span<ClassSection const> sections, float const* cuts, float* counts, std::size_t stride);
void count_cuts(double const* cells, std::span<ClassSection const> sections, double const* cuts, float* counts, std::size_t stride);

template <class T, class Number>
void count_one_cut(T const* cells, std::span<ClassSection const> sections, T cut, Number* counts, std::size_t stride) {
  std::size_t i = 0;
  for (ClassSection const section : sections) {
    std::int32_t count = 0;
    for (; i < section.end; ++i) count += cells[i] <= cut ? 1 : 0;
    counts[section.cls * stride] = static_cast<Number>(count);
  }
}

// Cases of the rows left of each cut, where each weighs 1: the sum over the classes.
inline void add_cases(std::span<ClassSection const> sections, LeftCounts& counts) {
  double* const cases = counts.of(counts.n_classes());
  for (ClassSection const section : sections) {
    for (std::size_t c = 0; c < counts.n; ++c) cases[c] += counts.of(section.cls)[c];
  }
}

}  // namespace rarewood
