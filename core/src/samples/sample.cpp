#include "samples/sample.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace rarewood {

Sample Sample::of(Dataset const& data, std::span<double const> weights) {
  Sample sample;
  std::size_t const n_classes = data.n_classes();
  if (weights.empty()) {
    for (std::size_t j = 0; j <= n_classes; ++j) sample.class_begin.push_back(j == 0 ? 0 : data.class_end(j - 1));
    sample.positions.resize(sample.class_begin.back());
    for (std::size_t i = 0; i < sample.positions.size(); ++i) sample.positions[i] = data.position(i);
    return sample;
  }
  if (weights.size() != data.n_rows())
    throw std::invalid_argument("there are " + std::to_string(data.n_rows()) + " rows but " + std::to_string(weights.size()) + " weights");
  for (std::size_t j = 0; j < n_classes; ++j) {
    sample.class_begin.push_back(sample.positions.size());
    for (std::size_t i = data.class_begin(j); i < data.class_end(j); ++i) {
      Position const position = data.position(i);
      double const weight = weights[data.original_row(position)];
      if (!(weight >= 0.0 && std::isfinite(weight)))
        throw std::invalid_argument("weights must be finite and not negative, got " + std::to_string(weight));
      if (weight != 0.0) sample.add(position, weight, 1);
    }
  }
  sample.class_begin.push_back(sample.positions.size());
  if (sample.positions.empty()) throw std::invalid_argument("all weights are zero");
  sample.forget_unit_weights();
  return sample;
}

void Sample::add(Position position, double weight, std::uint32_t times) {
  if (weight != std::floor(weight)) weights_are_cases = false;
  positions.push_back(position);
  weights.push_back(weight * times);
}

void Sample::forget_unit_weights() {
  if (std::all_of(weights.begin(), weights.end(), [](double weight) { return weight == 1.0; }))
    weights = std::vector<double>();  // `= {}` would keep the memory
}

}  // namespace rarewood
