#include "search/category_counts.hpp"

#include <algorithm>

namespace rarewood {

CategoryCounts::CategoryCounts(Dataset const& data) : data_(data), slot_of_(data.most_categories() + 1, no_slot) {}

void CategoryCounts::count(NodeRows const& node, std::size_t feature, CategoryTable& table) {
  std::size_t const n_categories = data_.n_categories(feature);
  gather(node, feature);
  std::vector<Code>& present = table.categories;
  find_present(node.size(), n_categories + 1, present);
  for (std::size_t s = 0; s < present.size(); ++s) slot_of_[present[s]] = static_cast<std::uint32_t>(s);
  table.stride = data_.n_classes() + 1;
  table.counts.assign(present.size() * table.stride, 0.0);
  if (node.weights.empty()) {
    count_rows(node, table);
  } else {
    add_weights(node, table);
  }
  for (Code category : present) slot_of_[category] = no_slot;
  if (!present.empty() && present.back() == n_categories) present.back() = missing_code;
}

void CategoryCounts::gather(NodeRows const& node, std::size_t feature) {
  Code const* const column = node.data->codes(feature).data();
  auto const missing = static_cast<Code>(data_.n_categories(feature));
  if (cells_.size() < node.size()) cells_.resize(node.size());
  for (std::size_t i = 0; i < node.size(); ++i) cells_[i] = std::min(column[node.positions[i]], missing);  // missing_code is the largest
}

// Ascending, in the way that takes less time.
void CategoryCounts::find_present(std::size_t n_rows, std::size_t n_categories, std::vector<Code>& present) {
  present.clear();
  if (n_categories <= 4 * n_rows) {
    for (std::size_t i = 0; i < n_rows; ++i) slot_of_[cells_[i]] = 0;
    present.resize(n_categories);
    std::size_t n_present = 0;
    for (Code category = 0; category < n_categories; ++category) {  // without a branch, which would be wrong too often
      present[n_present] = category;
      n_present += slot_of_[category] != no_slot ? 1 : 0;
    }
    present.resize(n_present);
    return;
  }
  for (std::size_t i = 0; i < n_rows; ++i) {
    if (slot_of_[cells_[i]] == no_slot) present.push_back(cells_[i]);
    slot_of_[cells_[i]] = 0;
  }
  std::sort(present.begin(), present.end());
}

void CategoryCounts::count_rows(NodeRows const& node, CategoryTable& table) {
  std::size_t const n_classes = data_.n_classes();
  for (std::size_t j = 0; j < n_classes; ++j) {
    if (node.class_begin[j] == node.class_begin[j + 1]) continue;
    n_rows_.assign(table.size(), 0);
    for (std::size_t i = node.class_begin[j]; i < node.class_begin[j + 1]; ++i) ++n_rows_[slot_of_[cells_[i]]];
    for (std::size_t s = 0; s < table.size(); ++s) {
      table.counts[s * table.stride + j] = n_rows_[s];
      table.counts[s * table.stride + n_classes] += n_rows_[s];
    }
  }
}

void CategoryCounts::add_weights(NodeRows const& node, CategoryTable& table) const {
  std::size_t const n_classes = data_.n_classes();
  for (std::size_t j = 0; j < n_classes; ++j) {
    for (std::size_t i = node.class_begin[j]; i < node.class_begin[j + 1]; ++i) {
      double* const row = table.counts.data() + slot_of_[cells_[i]] * table.stride;
      row[j] += node.weights[i];
      row[n_classes] += node.cases_of(node.weights[i]);
    }
  }
}

}  // namespace rarewood
