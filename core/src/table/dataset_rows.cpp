#include "rarewood/dataset_rows.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace rarewood {

namespace {

void check_numbers(std::span<std::int64_t const> numbers, std::size_t end, char const* what) {
  auto const is_there = [end](std::int64_t number) { return number >= 0 && static_cast<std::size_t>(number) < end; };
  if (!std::ranges::all_of(numbers, is_there)) throw std::invalid_argument(std::string("the table has no such ") + what);
}

}  // namespace

DatasetRows::DatasetRows(Dataset const& data)
    : rows(data.n_rows()), columns(data.n_features()), is_double(false), data_(&data), position_of_row_(rows) {
  for (std::size_t p = 0; p < rows; ++p) position_of_row_[data.original_row(static_cast<Position>(p))] = static_cast<Position>(p);
  for (std::size_t f = 0; f < columns; ++f) is_double = is_double || data.is_wide(f);
}

std::vector<double> DatasetRows::cells(std::span<std::int64_t const> numbers, std::span<std::int64_t const> features) const {
  check_numbers(numbers, rows, "row");
  check_numbers(features, columns, "column");
  std::vector<double> found(numbers.size() * features.size());
  for (std::size_t c = 0; c < features.size(); ++c) {
    auto const feature = static_cast<std::size_t>(features[c]);
    for (std::size_t r = 0; r < numbers.size(); ++r)
      found[r * features.size() + c] = data_->cell(position_of_row_[static_cast<std::size_t>(numbers[r])], feature);
  }
  return found;
}

}  // namespace rarewood
