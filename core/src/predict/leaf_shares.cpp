#include "predict/leaf_shares.hpp"

namespace rarewood {

namespace {

// The number of classes known to the compiler: no loop is left.
template <std::size_t K>
void add_few(double const* shares, std::span<std::uint32_t const> leaf_rows, double* sums) {
  for (std::uint32_t const leaf_row : leaf_rows) {
    double const* const of_leaf = shares + K * leaf_row;
    for (std::size_t j = 0; j < K; ++j) sums[j] += of_leaf[j];
    sums += K;
  }
}

void add_any(double const* shares, std::size_t k, std::span<std::uint32_t const> leaf_rows, double* sums) {
  for (std::uint32_t const leaf_row : leaf_rows) {
    double const* const of_leaf = shares + k * leaf_row;
    for (std::size_t j = 0; j < k; ++j) sums[j] += of_leaf[j];
    sums += k;
  }
}

}  // namespace

LeafShares::LeafShares(Tree const& tree, PseudoCounts const& pseudo_counts, double weight)
    : n_classes_(tree.n_classes), shares_(tree.n_leaf_rows() * tree.n_classes) {
  for (std::size_t r = 0; r < tree.n_leaf_rows(); ++r) weigh(tree, r, pseudo_counts, weight, shares_.data() + r * n_classes_);
}

void LeafShares::weigh(Tree const& tree, std::size_t leaf_row, PseudoCounts const& pseudo_counts, double weight, double* shares) {
  pseudo_counts.leaf_probabilities(tree.leaf_row(leaf_row), shares);
  if (weight == 1.0) return;
  for (std::size_t j = 0; j < tree.n_classes; ++j) shares[j] *= weight;
}

void LeafShares::add(std::span<std::uint32_t const> leaf_rows, double* sums) const {
  switch (n_classes_) {
    case 2: return add_few<2>(shares_.data(), leaf_rows, sums);
    case 3: return add_few<3>(shares_.data(), leaf_rows, sums);
    case 4: return add_few<4>(shares_.data(), leaf_rows, sums);
    case 5: return add_few<5>(shares_.data(), leaf_rows, sums);
    case 6: return add_few<6>(shares_.data(), leaf_rows, sums);
    case 7: return add_few<7>(shares_.data(), leaf_rows, sums);
    case 8: return add_few<8>(shares_.data(), leaf_rows, sums);
    default: return add_any(shares_.data(), n_classes_, leaf_rows, sums);
  }
}

}  // namespace rarewood
