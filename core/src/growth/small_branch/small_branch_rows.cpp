#include "growth/small_branch/small_branch_rows.hpp"

#include <algorithm>
#include <numeric>

#include "base/compilers.hpp"

namespace rarewood {

SmallBranchRows::SmallBranchRows(Dataset const& data, std::span<double const> class_weights)
    : data_(data), class_weighting_(class_weights), table_(&data), totals_(data.n_classes() + 1) {}

bool SmallBranchRows::can_hold(Dataset const& data) {
  for (std::size_t f = 0; f < data.n_features(); ++f) {
    if (data.is_nominal(f) || data.has_missing(f)) return false;
  }
  return true;
}

SmallBranchRows::Span SmallBranchRows::take(NodeRows const& node, ColumnSet const& features) {
  table_ = node.data;
  for (std::size_t j = 0; j < node.n_classes(); ++j)
    std::fill(cls_.data() + node.class_begin[j], cls_.data() + node.class_begin[j + 1], static_cast<std::uint32_t>(j));
  std::copy(node.positions.begin(), node.positions.end(), positions_.begin());
  std::iota(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(node.size()), std::uint8_t{0});
  features.list(features_);
  stride_ = node.size();
  if (narrow_.size() < data_.n_features() * stride_) narrow_.resize(data_.n_features() * stride_);
  copy_cells(node, features_);
  return {0, static_cast<std::uint32_t>(node.size())};
}

// Scattered rows cost two or three cache lines each in the caller's table, and one per cell in the columns.
void SmallBranchRows::copy_cells(NodeRows const& node, std::span<std::uint32_t const> features) {
  MatrixView const& input = node.data->input();
  bool const by_row = node.data == &data_ && input.data != nullptr && input.is_row_major<float>();
  if (by_row) {
    constexpr std::size_t ahead = 16;
    std::array<float const*, most + ahead> from;
    for (std::size_t i = 0; i < node.size(); ++i) {
      auto const row = static_cast<std::ptrdiff_t>(node.data->original_row(node.positions[i]));
      from[i] = reinterpret_cast<float const*>(input.data + row * input.row_stride);
    }
    std::fill_n(from.data() + node.size(), ahead, from[node.size() - 1]);
    for (std::size_t i = 0; i < node.size(); ++i) {
      for (std::size_t f = 0; f < data_.n_features(); f += 16) RAREWOOD_PREFETCH(from[i + ahead] + f);
      for (std::uint32_t const f : features) narrow_[f * stride_ + i] = from[i][f];
    }
  }
  for (std::uint32_t const f : by_row ? std::span<std::uint32_t const>{} : features) {
    std::span<float const> const narrow = node.data->narrow(f);
    if (!narrow.empty()) {
      for (std::size_t i = 0; i < node.size(); ++i) narrow_[f * stride_ + i] = narrow[node.positions[i]];
      continue;
    }
    if (wide_.size() < data_.n_features() * stride_) wide_.resize(data_.n_features() * stride_);
    std::span<double const> const wide = node.data->wide(f);
    for (std::size_t i = 0; i < node.size(); ++i) wide_[f * stride_ + i] = wide[node.positions[i]];
  }
}

void SmallBranchRows::enter(Span rows) {
  span_ = rows;
  n_sections_ = 0;
  std::fill(totals_.begin(), totals_.end(), 0.0);
  for (std::uint32_t i = 0; i < rows.size;) {
    std::uint32_t const cls = cls_[node_rows()[i]];
    std::uint32_t const begin = i;
    while (i < rows.size && cls_[node_rows()[i]] == cls) ++i;
    totals_[cls] = i - begin;
    sections_[n_sections_++] = {cls, i};
  }
  totals_.back() = rows.size;
}

std::size_t SmallBranchRows::heaviest_child() const {
  return heaviest_of(children_.size(), [this](std::size_t child) { return weight_of(children_[child]); });
}

double SmallBranchRows::weight_of(Span rows) const {
  if (class_weighting_.empty()) return rows.size;
  double total = 0.0;
  for (std::uint32_t i = rows.begin; i < rows.begin + rows.size;) {
    std::uint32_t const cls = cls_[rows_[i]];
    std::uint32_t const begin = i;
    while (i < rows.begin + rows.size && cls_[rows_[i]] == cls) ++i;
    total += class_weighting_.weighted(cls, i - begin);
  }
  return total;
}

}  // namespace rarewood
