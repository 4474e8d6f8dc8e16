#include "rarewood/sample.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

namespace rarewood {

Sample Sample::of(Dataset const& data, std::span<double const> weights) {
  Sample sample;
  std::size_t const n_classes = data.n_classes();
  if (weights.empty()) {
    sample.positions.resize(data.n_rows());
    std::iota(sample.positions.begin(), sample.positions.end(), Position{0});
    for (std::size_t j = 0; j <= n_classes; ++j) sample.class_begin.push_back(j == 0 ? 0 : data.class_end(j - 1));
    return sample;
  }
  if (weights.size() != data.n_rows())
    throw std::invalid_argument("there are " + std::to_string(data.n_rows()) + " rows but " + std::to_string(weights.size()) + " weights");
  for (std::size_t j = 0; j < n_classes; ++j) {
    sample.class_begin.push_back(sample.positions.size());
    for (std::size_t p = data.class_begin(j); p < data.class_end(j); ++p) {
      double const weight = weights[data.original_row(static_cast<Position>(p))];
      if (!(weight >= 0.0 && std::isfinite(weight)))
        throw std::invalid_argument("weights must be finite and not negative, got " + std::to_string(weight));
      if (weight == 0.0) continue;
      if (weight != std::floor(weight)) sample.weights_are_cases = false;
      sample.positions.push_back(static_cast<Position>(p));
      sample.weights.push_back(weight);
    }
  }
  sample.class_begin.push_back(sample.positions.size());
  if (sample.positions.empty()) throw std::invalid_argument("all weights are zero");
  return sample;
}

}  // namespace rarewood
