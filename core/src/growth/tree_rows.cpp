#include "growth/tree_rows.hpp"

#include <algorithm>
#include <numeric>

namespace rarewood {

namespace {

constexpr std::size_t max_local_rows = 65536;         // keeps the memory of local tables small beside the data
constexpr std::size_t min_cells_to_leave = 1U << 22;  // a table of 2 MB

}  // namespace

TreeRows::TreeRows(Dataset const& data, Sample& sample, std::span<double const> class_weights, Forms forms)
    : data_(data),
      sample_(sample),
      class_weighting_(class_weights),
      forms_(forms),
      partition_(sample.positions, sample.weights),
      totals_(data.n_classes() + 1),
      marks_(data.most_categories(), 0) {
  children_.stride = data.n_classes() + 1;
}

NodeRows const& TreeRows::enter(RowSpan const& rows, std::span<std::size_t const> class_begin) {
  std::size_t const size = class_begin.back();
  begin_ = rows.begin;
  node_.data = rows.table == nullptr ? &data_ : rows.table.get();
  node_.positions = {sample_.positions.data() + begin_, size};
  if (!sample_.weights.empty()) node_.weights = {sample_.weights.data() + begin_, size};
  node_.class_begin = class_begin;
  node_.weights_are_cases = sample_.weights_are_cases;
  std::size_t const n_classes = data_.n_classes();
  std::fill(totals_.begin(), totals_.end(), 0.0);
  for (std::size_t j = 0; j < n_classes; ++j) {
    if (node_.weights.empty()) {
      totals_[j] = static_cast<double>(class_begin[j + 1] - class_begin[j]);
      totals_[n_classes] += totals_[j];
      continue;
    }
    for (std::size_t i = class_begin[j]; i < class_begin[j + 1]; ++i) {
      totals_[j] += node_.weights[i];
      totals_[n_classes] += node_.cases_of(node_.weights[i]);
    }
  }
  node_.totals = totals_;
  return node_;
}

// A node much smaller than its table. Copying costs about one pass over all features, so the table must be large enough not to sit in the
// cache anyway.
bool TreeRows::is_worth_a_table() const {
  std::size_t const size = node_.size();
  std::size_t const n_rows = table().n_rows();
  return size >= 128 && size <= max_local_rows && size * 16 <= n_rows && n_rows * data_.n_features() >= min_cells_to_leave;
}

void TreeRows::copy_to_table(RowSpan& rows, ColumnSet const& features) {
  std::vector<std::uint32_t> columns;
  features.list(columns);
  rows.table = std::make_shared<Dataset const>(table().subset(node_.positions, node_.class_begin, columns, forms_));
  node_.data = rows.table.get();
  auto const first = sample_.positions.begin() + static_cast<std::ptrdiff_t>(begin_);
  std::iota(first, first + static_cast<std::ptrdiff_t>(node_.size()), Position{0});
}

std::size_t TreeRows::heaviest_child() const {
  std::size_t begin = begin_;
  return heaviest_of(children_.size(), [&](std::size_t child) {
    double const weight = weight_of(begin, children_.class_begin(child));
    begin += children_.n_rows(child);
    return weight;
  });
}

double TreeRows::second_share(std::size_t child) const {
  std::size_t begin = begin_;
  for (std::size_t c = 0; c < child; ++c) begin += children_.n_rows(c);
  double const second = weight_of_class(1, begin, children_.class_begin(child));
  return second / (weight_of_class(0, begin, children_.class_begin(child)) + second);
}

double TreeRows::weight_of(std::size_t begin, std::span<std::size_t const> class_begin) const {
  double total = 0.0;
  for (std::size_t j = 0; j < data_.n_classes(); ++j) total += weight_of_class(j, begin, class_begin);
  return total;
}

double TreeRows::weight_of_class(std::size_t cls, std::size_t begin, std::span<std::size_t const> class_begin) const {
  double weight = static_cast<double>(class_begin[cls + 1] - class_begin[cls]);
  if (!sample_.weights.empty()) {
    weight = 0.0;
    for (std::size_t i = class_begin[cls]; i < class_begin[cls + 1]; ++i) weight += sample_.weights[begin + i];
  }
  return class_weighting_.weighted(cls, weight);
}

}  // namespace rarewood
