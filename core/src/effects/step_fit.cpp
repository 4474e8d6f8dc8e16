#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "effects/cholesky.hpp"
#include "rarewood/step_fit.hpp"

namespace rarewood {

namespace {

constexpr int most_rounds = 40;
constexpr int most_halvings = 10;
constexpr double close_enough = 1e-6;  // of twice the log-likelihood that is still to be gained
constexpr double still_good = 0.2;     // a factor is kept if what there is to gain shrank to this share
constexpr double least_curvature = 1e-9;

double squared(double x) { return x * x; }

double inner(std::span<double const> a, std::span<double const> b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

// Minus the logarithm of the probability of the true class, and its derivative, of log-odds z.
double loss_of(double z, bool second) { return std::log1p(std::exp(-std::abs(z))) + ((z > 0.0) == second ? 0.0 : std::abs(z)); }

double excess_of(double z, bool second) {
  double const small = std::exp(-std::abs(z));
  return (z > 0.0 ? 1.0 : small) / (1.0 + small) - (second ? 1.0 : 0.0);
}

// The parts of 0 .. n that are not left out.
template <class Visit>
void for_each_part(std::size_t n, LeftOut out, Visit visit) {
  if (out.begin > 0) visit(std::size_t{0}, out.begin);
  if (out.end < n) visit(out.end, n);
}

}  // namespace

StepFit::StepFit(StepRows rows, std::span<double const> penalty) : rows_(std::move(rows)), first_(rows_.on.sizes.size() + 1) {
  std::partial_sum(rows_.on.sizes.begin(), rows_.on.sizes.end(), first_.begin() + 1);
  for (std::uint32_t i = 0; i < n_steps(); ++i)
    for (std::uint32_t j = 0; j < n_steps(); ++j)
      if (double const cost = penalty[i * n_steps() + j]; cost != 0.0) penalty_.push_back({i, j, cost});
}

std::vector<double> StepFit::log_odds(std::span<double const> found) const {
  double const offset = found[n_steps()], slope = found[n_steps() + 1];
  std::vector<double> sum(rows_.on.n_rows);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] = slope * rows_.given[i] + offset;
  for (std::size_t t = 0; t < rows_.on.sizes.size(); ++t) {
    std::uint8_t const* const on = rows_.on.term(t);
    double const* const values = found.data() + first_[t];
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[on[i]];
  }
  return sum;
}

template <bool with_loss>
StepFit::Slope StepFit::slope(std::span<double const> at, LeftOut out) const {
  std::size_t const n = n_steps();
  Slope here{0.0, std::vector<double>(n + 2)};
  std::vector<double>& by_unknown = here.by_unknown;
  for (Cost const& cost : penalty_) {
    double const pull = cost.value * at[cost.column];
    by_unknown[cost.row] += 2.0 * pull;
    here.loss += at[cost.row] * pull;
  }
  by_unknown[n] = at[n];
  by_unknown[n + 1] = 2.0 * (at[n + 1] - 1.0);
  here.loss += 0.5 * squared(at[n]) + squared(at[n + 1] - 1.0);
  std::vector<double> excess = log_odds(at);
  double const more = rows_.extrapolation;
  for_each_part(excess.size(), out, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      bool const second = rows_.second[i] != 0;
      double const weight = rows_.weight[i], given = rows_.given[i];
      double const z = excess[i], beyond = z + at[n + 1] * (rows_.noisier[i] - given);
      double const near = excess_of(z, second), far = excess_of(beyond, second);
      double const steep = near + more * (near - far), along = near * given + more * (near * given - far * rows_.noisier[i]);
      if constexpr (with_loss) {
        double const loss = loss_of(z, second);
        here.loss += weight * (loss + more * (loss - loss_of(beyond, second)));
      }
      by_unknown[n] += excess[i] = weight * steep;
      by_unknown[n + 1] += weight * along;
    }
    for (std::size_t t = 0; t < rows_.on.sizes.size(); ++t) {
      std::uint8_t const* const on = rows_.on.term(t);
      double* const sums = by_unknown.data() + first_[t];
      for (std::size_t i = begin; i < end; ++i) sums[on[i]] += excess[i];
    }
  });
  return here;
}

void StepFit::factor_curvature(std::span<double const> at) {
  std::size_t const n = n_steps(), width = n_unknown(), n_rows = rows_.on.n_rows;
  std::vector<double> bend = log_odds(at);
  for (std::size_t i = 0; i < n_rows; ++i) {
    double const small = std::exp(-std::abs(bend[i]));
    bend[i] = std::max(rows_.weight[i] * small / squared(1.0 + small), least_curvature);
  }
  factor_.assign(width * width, 0.0);
  std::vector<double> cells;
  for (std::size_t t = 0; t < rows_.on.sizes.size(); ++t) {
    std::uint8_t const* const on = rows_.on.term(t);
    for (std::size_t u = t + 1; u < rows_.on.sizes.size(); ++u) {
      std::uint8_t const* const other = rows_.on.term(u);
      std::size_t const size = rows_.on.sizes[u];
      cells.assign(rows_.on.sizes[t] * size, 0.0);
      for (std::size_t i = 0; i < n_rows; ++i) cells[on[i] * size + other[i]] += bend[i];
      for (std::size_t a = 0; a < rows_.on.sizes[t]; ++a)
        std::copy_n(cells.data() + a * size, size, factor_.data() + (first_[t] + a) * width + first_[u]);
    }
    for (std::size_t i = 0; i < n_rows; ++i) {
      double* const row = factor_.data() + (first_[t] + on[i]) * width;
      row[first_[t] + on[i]] += bend[i];
      row[n] += bend[i];
      row[n + 1] += bend[i] * rows_.given[i];
    }
  }
  for (Cost const& cost : penalty_)
    if (cost.row <= cost.column) factor_[cost.row * width + cost.column] += 2.0 * cost.value;
  double* const offset = factor_.data() + n * width + n;
  double* const slope = offset + width + 1;
  *offset = 1.0;
  *slope = 2.0;
  for (std::size_t i = 0; i < n_rows; ++i) {
    *offset += bend[i];
    offset[1] += bend[i] * rows_.given[i];
    *slope += bend[i] * squared(rows_.given[i]);
  }
  factor_in_place(factor_, width);
}

std::vector<double> StepFit::solve(std::vector<double> right) const { return solve_factored(factor_, n_unknown(), std::move(right)); }

std::vector<double> const& StepFit::fit() {
  found_.assign(n_unknown(), 0.0);
  found_.back() = 1.0;
  Slope here = slope<true>(found_, {});
  double before = 0.0;
  for (int round = 0; round < most_rounds; ++round) {
    std::vector<double> way;
    double gain = before;
    if (round > 0) gain = inner(way = solve(here.by_unknown), here.by_unknown);
    if (round > 0 && gain < close_enough) break;
    if (round == 0 || gain > still_good * before) {
      factor_curvature(found_);
      gain = inner(way = solve(here.by_unknown), here.by_unknown);
      if (gain < close_enough) break;
    }
    before = gain;
    double length = 1.0;
    for (int halving = 0;; ++halving, length *= 0.5) {
      std::vector<double> there = found_;
      for (std::size_t i = 0; i < there.size(); ++i) there[i] -= length * way[i];
      Slope next = slope<true>(there, {});
      if (next.loss <= here.loss || halving == most_halvings) {
        found_ = std::move(there);
        here = std::move(next);
        break;
      }
    }
  }
  return found_;
}

std::vector<double> StepFit::fit_without(LeftOut out) const {
  if (found_.empty()) throw std::logic_error("a fit without some of the rows begins at the fit to all of them");
  std::vector<double> found = found_;
  double length = 1.0, before = 0.0;
  for (int round = 0; round < most_rounds; ++round) {
    std::vector<double> const right = slope<false>(found, out).by_unknown;
    std::vector<double> const way = solve(right);
    double const gain = inner(way, right);
    if (gain < close_enough) break;
    if (round > 0 && gain > before) length *= 0.5;
    before = gain;
    for (std::size_t i = 0; i < found.size(); ++i) found[i] -= length * way[i];
  }
  return found;
}

}  // namespace rarewood
