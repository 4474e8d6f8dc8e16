#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "effects/cholesky.hpp"
#include "effects/quasi_newton.hpp"
#include "rarewood/step_fit.hpp"

namespace rarewood {

namespace {

constexpr int most_rounds = 40;
constexpr int most_halvings = 10;
constexpr double close_enough = 1e-6;  // of twice the log-likelihood that is still to be gained
constexpr double least_curvature = 1e-9;

double squared(double x) { return x * x; }

// Minus the logarithm of the probability of the true class, and its derivative, of log-odds z.
double loss_of(double z, bool second) { return std::log1p(std::exp(-std::abs(z))) + ((z > 0.0) == second ? 0.0 : std::abs(z)); }

double excess_of(double z, bool second) {
  double const small = std::exp(-std::abs(z));
  return (z > 0.0 ? 1.0 : small) / (1.0 + small) - (second ? 1.0 : 0.0);
}

template <std::size_t N>
using Constant = std::integral_constant<std::size_t, N>;

// visit(first, how many of them, as a constant): terms in groups, so that the sums of one term do not wait for each other. A row on the same
// step as the one before waits for its sum; meanwhile the next terms are served.
template <class Visit>
void for_each_group(std::size_t begin, std::size_t end, Visit visit) {
  constexpr std::size_t at_once = 4;
  for (; begin + at_once <= end; begin += at_once) visit(begin, Constant<at_once>());
  for (; begin < end; ++begin) visit(begin, Constant<1>());
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
  for_each_group(0, rows_.on.sizes.size(), [&]<std::size_t N>(std::size_t t, Constant<N>) {
    std::uint8_t const* on[N];
    double const* values[N];
    for (std::size_t k = 0; k < N; ++k) {
      on[k] = rows_.on.term(t + k);
      values[k] = found.data() + first_[t + k];
    }
    for (std::size_t i = 0; i < sum.size(); ++i) {
      double all = sum[i];
      for (std::size_t k = 0; k < N; ++k) all += values[k][on[k][i]];
      sum[i] = all;
    }
  });
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
    for_each_group(0, rows_.on.sizes.size(), [&]<std::size_t N>(std::size_t t, Constant<N>) {
      std::uint8_t const* on[N];
      double* sums[N];
      for (std::size_t k = 0; k < N; ++k) {
        on[k] = rows_.on.term(t + k);
        sums[k] = by_unknown.data() + first_[t + k];
      }
      for (std::size_t i = begin; i < end; ++i)
        for (std::size_t k = 0; k < N; ++k) sums[k][on[k][i]] += excess[i];
    });
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
  std::size_t const n_terms = rows_.on.sizes.size();
  std::vector<double> cells;
  for (std::size_t t = 0; t < n_terms; ++t) {
    std::uint8_t const* const on = rows_.on.term(t);
    std::size_t const height = rows_.on.sizes[t];
    for_each_group(t + 1, n_terms, [&]<std::size_t N>(std::size_t u, Constant<N>) {
      std::uint8_t const* other[N];
      std::size_t widths[N];
      double* tables[N];
      cells.assign(height * (first_[u + N] - first_[u]), 0.0);
      for (std::size_t k = 0; k < N; ++k) {
        other[k] = rows_.on.term(u + k);
        widths[k] = rows_.on.sizes[u + k];
        tables[k] = cells.data() + height * (first_[u + k] - first_[u]);
      }
      for (std::size_t i = 0; i < n_rows; ++i)
        for (std::size_t k = 0; k < N; ++k) tables[k][on[i] * widths[k] + other[k][i]] += bend[i];
      for (std::size_t k = 0; k < N; ++k)
        for (std::size_t a = 0; a < height; ++a)
          std::copy_n(tables[k] + a * widths[k], widths[k], factor_.data() + (first_[t] + a) * width + first_[u + k]);
    });
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

std::vector<double> const& StepFit::fit() {
  found_.assign(n_unknown(), 0.0);
  found_.back() = 1.0;
  factor_curvature(found_);
  QuasiNewton newton(factor_, n_unknown());
  Slope here = slope<true>(found_, {});
  for (int round = 0; round < most_rounds; ++round) {
    std::vector<double> step = newton.step_from(here.by_unknown);
    if (-inner(step, here.by_unknown) < close_enough) break;
    for (int halving = 0;; ++halving) {
      std::vector<double> there = found_;
      add_times(1.0, step, there);
      Slope next = slope<true>(there, {});
      if (next.loss <= here.loss || halving == most_halvings) {
        newton.learn(std::move(step), here.by_unknown, next.by_unknown);
        found_ = std::move(there);
        here = std::move(next);
        break;
      }
      for (double& part : step) part *= 0.5;
    }
  }
  return found_;
}

std::vector<double> StepFit::fit_without(LeftOut out) const {
  if (found_.empty()) throw std::logic_error("a fit without some of the rows begins at the fit to all of them");
  std::vector<double> found = found_;
  QuasiNewton newton(factor_, n_unknown());
  std::vector<double> here = slope<false>(found, out).by_unknown;
  double length = 1.0, before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < most_rounds; ++round) {
    std::vector<double> step = newton.step_from(here);
    double const gain = -inner(step, here);
    if (gain < close_enough) break;
    if (gain > before) length *= 0.5;
    before = gain;
    for (double& part : step) part *= length;
    add_times(1.0, step, found);
    std::vector<double> next = slope<false>(found, out).by_unknown;
    newton.learn(std::move(step), here, next);
    here = std::move(next);
  }
  return found;
}

}  // namespace rarewood
