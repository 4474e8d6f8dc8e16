#include "rarewood/shap.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "explain/exact_shap.hpp"
#include "explain/sampled_shap.hpp"
#include "predict/ready_tree.hpp"

namespace rarewood {

namespace {

constexpr std::size_t rows_at_once = 32;  // for one thread

// explain_row(room, row, number): every row of the table, on several threads; `work`: nodes that a row looks at.
template <class Solver, class Explain>
void for_each_row(Solver const& solver, MatrixView const& rows, std::size_t work, unsigned n_threads, Monitor& monitor,
                  Explain explain_row) {
  with_cell_type(rows, [&]<class T>(T) {
    for_each_block<T>(rows, rows_at_once, n_threads, monitor, [&](Rows<T> const& block, std::size_t first, Monitor& shared) {
      typename Solver::Room room = solver.room();
      WorkMeter meter(shared);
      for (std::size_t r = 0; r < block.n; ++r) {
        explain_row(room, block.row(r), first + r);
        meter.add(work);
      }
    });
  });
}

}  // namespace

Contributions explain(std::span<Tree const> trees, MatrixView const& rows, PseudoCounts const& pseudo_counts,
                      std::span<double const> tree_weights, Explaining const& how, Monitor& monitor) {
  std::size_t const n_classes = trees.front().n_classes;
  if (pseudo_counts.n_classes() != n_classes || (!tree_weights.empty() && tree_weights.size() != trees.size()))
    throw std::invalid_argument("pseudo-counts or weights do not fit the trees");
  if (std::any_of(how.classes.begin(), how.classes.end(), [&](std::uint32_t cls) { return cls >= n_classes; }))
    throw std::invalid_argument("there are only " + std::to_string(n_classes) + " classes");
  if (how.n_pairs < 2) throw std::invalid_argument("there must be at least two pairs of permutations");
  std::size_t const n_outputs = how.classes.size();
  std::size_t const stride = trees.front().n_features * n_outputs;
  Contributions result{std::vector<double>(n_outputs, 0.0), std::vector<double>(rows.rows * stride, 0.0), {}};
  for (std::size_t t = 0; t < trees.size(); ++t) {
    double const scale = tree_weights.empty() ? 1.0 / static_cast<double>(trees.size()) : tree_weights[t];
    ShapleyGame const game(trees[t], pseudo_counts, how.classes);
    for (std::size_t k = 0; k < n_outputs; ++k) result.base[k] += scale * game.base[k];
    if (trees[t].nodes.size() == 1 || rows.rows == 0) continue;
    if (!game.has_tests_of_several_columns()) {
      ExactShap const exact(game);
      for_each_row(exact, rows, exact.n_edges(), how.n_threads, monitor, [&](auto& room, auto const* row, std::size_t number) {
        game.find_places(row, room.places.data());
        exact.add(room, scale, result.values.data() + number * stride);
      });
    } else {
      result.variances.resize(rows.rows * stride, 0.0);
      SampledShap const sampled(game, how.n_pairs, Key(how.seed, t));
      for_each_row(sampled, rows, sampled.work(), how.n_threads, monitor, [&](auto& room, auto const* row, std::size_t number) {
        game.find_places(row, room.places.data());
        sampled.add(room, scale, result.values.data() + number * stride, result.variances.data() + number * stride);
      });
    }
  }
  return result;
}

}  // namespace rarewood
