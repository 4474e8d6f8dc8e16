#include "rarewood/category_counts.hpp"

#include <algorithm>

namespace rarewood {

CategoryCounts::CategoryCounts(Dataset const& data)
    : data_(data), stride_(data.n_classes() + 1), slot_of_(data.most_categories() + 1, no_slot) {}

void CategoryCounts::count(NodeRows const& node, std::size_t feature) {
  Code const* column = node.data->codes(feature).data();
  std::size_t const n_categories = data_.n_categories(feature);
  present_.clear();
  for (Position p : node.positions) {
    std::size_t const category = column[p] == missing_code ? n_categories : column[p];
    if (slot_of_[category] == no_slot) {
      slot_of_[category] = 0;
      present_.push_back(static_cast<Code>(category));
    }
  }
  std::sort(present_.begin(), present_.end());
  for (std::size_t s = 0; s < size(); ++s) slot_of_[present_[s]] = static_cast<std::uint32_t>(s);

  std::size_t const n_classes = data_.n_classes();
  counts_.assign(size() * stride_, 0.0);
  class_present_.assign(n_classes, 0);
  for (std::size_t j = 0; j < n_classes; ++j) {
    if (node.class_begin[j] < node.class_begin[j + 1]) class_present_[j] = 1;
    for (std::size_t i = node.class_begin[j]; i < node.class_begin[j + 1]; ++i) {
      Code const code = column[node.positions[i]];
      double* row = counts_.data() + slot_of_[code == missing_code ? n_categories : code] * stride_;
      row[j] += node.weight(i);
      row[n_classes] += node.cases_of(node.weight(i));
    }
  }
  for (Code category : present_) slot_of_[category] = no_slot;
  if (!present_.empty() && present_.back() == n_categories) present_.back() = missing_code;
}

}  // namespace rarewood
