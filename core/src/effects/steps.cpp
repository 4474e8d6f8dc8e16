#include "rarewood/steps.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/simd_dispatch.hpp"

namespace rarewood {

namespace {

constexpr std::size_t block_cells = 256;

// How many of the bounds lie below each of n cells: for few bounds, counting them all is faster than a search, which cannot be foreseen.
RAREWOOD_SIMD(void, count_below, (double const* cells, std::size_t n, double const* bounds, std::size_t n_bounds, double* counts),
              (cells, n, bounds, n_bounds, counts)) {
  for (std::size_t i = 0; i < n; ++i) counts[i] = 0.0;
  for (std::size_t b = 0; b < n_bounds; ++b) {
    double const bound = bounds[b];
    for (std::size_t i = 0; i < n; ++i) counts[i] += bound < cells[i] ? 1.0 : 0.0;
  }
}

template <class T>
void code_column(MatrixView const& table, std::size_t column, double const* bounds, std::size_t n_bounds, std::uint8_t* codes) {
  std::array<double, block_cells> cells, counts;
  for (std::size_t first = 0; first < table.rows; first += block_cells) {
    std::size_t const n = std::min(block_cells, table.rows - first);
    for (std::size_t i = 0; i < n; ++i) cells[i] = static_cast<double>(table.get<T>(first + i, column));
    count_below(cells.data(), n, bounds, n_bounds, counts.data());
    for (std::size_t i = 0; i < n; ++i)
      codes[first + i] = std::isnan(cells[i]) ? static_cast<std::uint8_t>(n_bounds + 1) : static_cast<std::uint8_t>(counts[i]);
  }
}

struct Sums {
  double lack = 0.0;
  double spread = 0.0;

  Sums& operator+=(Sums const& other) {
    lack += other.lack;
    spread += other.spread;
    return *this;
  }
  Sums operator-(Sums const& other) const { return {lack - other.lack, spread - other.spread}; }
  double misfit() const { return lack * lack / (std::max(spread, 0.0) + 0.5); }
};

// The table becomes sums over all cells up to each one; then every cell is the corner of four quarters.
double worst_quarters(std::vector<Sums>& table, std::size_t n, std::size_t m, std::size_t stride) {
  auto const at = [&](std::size_t i, std::size_t j) -> Sums& { return table[i * stride + j]; };
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 1; j < m; ++j) at(i, j) += at(i, j - 1);
  for (std::size_t i = 1; i < n; ++i)
    for (std::size_t j = 0; j < m; ++j) at(i, j) += at(i - 1, j);
  double worst = 0.0;
  Sums const all = at(n - 1, m - 1);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      Sums const near = at(i, j), beside = at(i, m - 1) - near, below = at(n - 1, j) - near;
      worst = std::max(worst, near.misfit() + beside.misfit() + below.misfit() + (all - near - beside - below).misfit());
    }
  }
  return worst;
}

}  // namespace

std::vector<std::uint8_t> step_codes(MatrixView const& table, std::span<std::int64_t const> n_bounds, std::span<double const> bounds) {
  std::vector<std::uint8_t> codes(table.columns * table.rows);
  std::size_t first = 0;
  for (std::size_t column = 0; column < table.columns; ++column) {
    auto const n = static_cast<std::size_t>(n_bounds[column]);
    auto const code = table.is_double ? code_column<double> : code_column<float>;
    code(table, column, bounds.data() + first, n, codes.data() + column * table.rows);
    first += n;
  }
  return codes;
}

std::vector<double> pair_misfits(StepCodes const& on, std::span<std::uint32_t const> n_apart, std::span<double const> lack,
                                 std::span<double const> spread) {
  std::vector<Sums> each(on.n_rows);
  for (std::size_t i = 0; i < each.size(); ++i) each[i] = {lack[i], spread[i]};
  std::vector<double> found;
  std::vector<Sums> table;
  for (std::size_t t = 1; t < on.sizes.size(); ++t) {
    std::uint8_t const* const one = on.term(t);
    for (std::size_t u = 0; u < t; ++u) {
      std::uint8_t const* const other = on.term(u);
      std::size_t const stride = on.sizes[u];
      table.assign(on.sizes[t] * stride, {});
      for (std::size_t i = 0; i < each.size(); ++i) table[one[i] * stride + other[i]] += each[i];
      found.push_back(worst_quarters(table, on.sizes[t] - n_apart[t], on.sizes[u] - n_apart[u], stride));
    }
  }
  return found;
}

}  // namespace rarewood
