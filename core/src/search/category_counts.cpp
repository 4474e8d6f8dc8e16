#include "search/category_counts.hpp"

#include <algorithm>

namespace rarewood {

CategoryCounts::CategoryCounts(Dataset const& data) : data_(data), slot_of_(data.most_categories() + 1, no_slot) {}

void CategoryCounts::count(NodeRows const& node, std::size_t feature, CategoryTable& table) {
  Code const* column = node.data->codes(feature).data();
  std::size_t const n_categories = data_.n_categories(feature);
  std::vector<Code>& present = table.categories;
  present.clear();
  for (Position p : node.positions) {
    std::size_t const category = column[p] == missing_code ? n_categories : column[p];
    if (slot_of_[category] == no_slot) {
      slot_of_[category] = 0;
      present.push_back(static_cast<Code>(category));
    }
  }
  std::sort(present.begin(), present.end());
  for (std::size_t s = 0; s < present.size(); ++s) slot_of_[present[s]] = static_cast<std::uint32_t>(s);

  std::size_t const n_classes = data_.n_classes();
  table.stride = n_classes + 1;
  table.counts.assign(present.size() * table.stride, 0.0);
  for (std::size_t j = 0; j < n_classes; ++j) {
    for (std::size_t i = node.class_begin[j]; i < node.class_begin[j + 1]; ++i) {
      Code const code = column[node.positions[i]];
      double* row = table.counts.data() + slot_of_[code == missing_code ? n_categories : code] * table.stride;
      row[j] += node.weight(i);
      row[n_classes] += node.cases_of(node.weight(i));
    }
  }
  for (Code category : present) slot_of_[category] = no_slot;
  if (!present.empty() && present.back() == n_categories) present.back() = missing_code;
}

}  // namespace rarewood
