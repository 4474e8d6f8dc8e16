#include "predict/leaf_shares.hpp"

#include <algorithm>
#include <array>

namespace rarewood {

namespace {

constexpr std::size_t many_classes = 16;     // fewer are read at once as they are
constexpr std::size_t most_exceptions = 64;  // of a row
constexpr std::size_t seldom = 16;           // an exception costs as much as so many classes that are none

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
    : n_classes_(tree.n_classes), dense_(tree.n_leaf_rows() * tree.n_classes) {
  for (std::size_t r = 0; r < tree.n_leaf_rows(); ++r) weigh(tree, r, pseudo_counts, weight, dense_.data() + r * n_classes_);
  if (n_classes_ >= many_classes) make_sparse();
}

void LeafShares::weigh(Tree const& tree, std::size_t leaf_row, PseudoCounts const& pseudo_counts, double weight, double* shares) {
  pseudo_counts.leaf_probabilities(tree.leaf_row(leaf_row), shares);
  if (weight == 1.0) return;
  for (std::size_t j = 0; j < tree.n_classes; ++j) shares[j] *= weight;
}

// The least share of a row is the one that classes have which the leaf has not seen, if there are any.
void LeafShares::make_sparse() {
  std::size_t const n_rows = dense_.size() / n_classes_;
  std::vector<Sparse> sparse{{0.0, 0}};
  std::vector<Exception> exceptions;
  for (std::size_t r = 0; r < n_rows; ++r) {
    std::span<double const> const shares(dense_.data() + r * n_classes_, n_classes_);
    double const least = *std::min_element(shares.begin(), shares.end());
    std::size_t const before = exceptions.size();
    for (std::size_t j = 0; j < n_classes_; ++j) {
      if (shares[j] != least) exceptions.push_back({static_cast<std::uint32_t>(j), shares[j]});
    }
    if (exceptions.size() - before > most_exceptions || seldom * exceptions.size() > dense_.size()) return;
    sparse.push_back({least, static_cast<std::uint32_t>(exceptions.size())});
  }
  sparse_ = std::move(sparse);
  exceptions_ = std::move(exceptions);
  dense_ = std::vector<double>();
}

void LeafShares::add(std::span<std::uint32_t const> leaf_rows, double* sums) const {
  if (!sparse_.empty()) {
    for (std::size_t i = 0; i < leaf_rows.size(); ++i) add_sparse(leaf_rows[i], sums + i * n_classes_);
    return;
  }
  switch (n_classes_) {
    case 2: return add_few<2>(dense_.data(), leaf_rows, sums);
    case 3: return add_few<3>(dense_.data(), leaf_rows, sums);
    case 4: return add_few<4>(dense_.data(), leaf_rows, sums);
    case 5: return add_few<5>(dense_.data(), leaf_rows, sums);
    case 6: return add_few<6>(dense_.data(), leaf_rows, sums);
    case 7: return add_few<7>(dense_.data(), leaf_rows, sums);
    case 8: return add_few<8>(dense_.data(), leaf_rows, sums);
    default: return add_any(dense_.data(), n_classes_, leaf_rows, sums);
  }
}

void LeafShares::add_sparse(std::uint32_t leaf_row, double* sums) const {
  Exception const* const first = exceptions_.data() + sparse_[leaf_row].end;
  std::size_t const n = sparse_[leaf_row + 1].end - sparse_[leaf_row].end;
  double const share = sparse_[leaf_row + 1].share;
  std::array<double, most_exceptions> exceptional;
  for (std::size_t i = 0; i < n; ++i) exceptional[i] = sums[first[i].cls] + first[i].share;
  if (share != 0.0) {
    for (std::size_t j = 0; j < n_classes_; ++j) sums[j] += share;
  }
  for (std::size_t i = 0; i < n; ++i) sums[first[i].cls] = exceptional[i];
}

}  // namespace rarewood
