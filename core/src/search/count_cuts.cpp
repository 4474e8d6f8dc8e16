#include "search/count_cuts.hpp"

#include "base/simd_dispatch.hpp"

namespace rarewood {

namespace {

template <class T, class Number>
[[gnu::always_inline]] inline void count_sections(T const* cells, std::span<ClassSection const> sections, T const* cuts, std::size_t n,
                                                  Number* counts, std::size_t stride) {
  std::size_t i = 0;
  for (ClassSection const section : sections) {
    std::int32_t at[cut_lanes] = {};
    for (; i < section.end; ++i) {
      T const cell = cells[i];
#pragma omp simd
      for (std::size_t c = 0; c < cut_lanes; ++c) at[c] += cell <= cuts[c] ? 1 : 0;
    }
    Number* const to = counts + section.cls * stride;
    for (std::size_t c = 0; c < n; ++c) to[c] = static_cast<Number>(at[c]);
  }
}

}  // namespace

RAREWOOD_SIMD(void, count_cuts,
              (float const* cells, std::span<ClassSection const> sections, float const* cuts, std::size_t n, double* counts,
               std::size_t stride),
              (cells, sections, cuts, n, counts, stride)) {
  count_sections(cells, sections, cuts, n, counts, stride);
}
RAREWOOD_SIMD(void, count_cuts,
              (double const* cells, std::span<ClassSection const> sections, double const* cuts, std::size_t n, double* counts,
               std::size_t stride),
              (cells, sections, cuts, n, counts, stride)) {
  count_sections(cells, sections, cuts, n, counts, stride);
}
RAREWOOD_SIMD(void, count_cuts,
              (float const* cells, std::span<ClassSection const> sections, float const* cuts, float* counts, std::size_t stride),
              (cells, sections, cuts, counts, stride)) {
  count_sections(cells, sections, cuts, cut_lanes, counts, stride);
}
RAREWOOD_SIMD(void, count_cuts,
              (double const* cells, std::span<ClassSection const> sections, double const* cuts, float* counts, std::size_t stride),
              (cells, sections, cuts, counts, stride)) {
  count_sections(cells, sections, cuts, cut_lanes, counts, stride);
}

}  // namespace rarewood
