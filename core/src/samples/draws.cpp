#include "samples/draws.hpp"

#include <stdexcept>
#include <string>

namespace rarewood {

void check_draws(ForestPlan const& plan, std::span<std::size_t const> class_begin) {
  if (plan.sampling != Sampling::subsample) return;
  std::vector<std::size_t> const& wanted = plan.class_sizes;
  std::size_t const n_classes = class_begin.size() - 1;
  if (wanted.size() != n_classes)
    throw std::invalid_argument("sampling 'subsample' needs one of class_sizes per class: there are " + std::to_string(n_classes) +
                                " classes and " + std::to_string(wanted.size()) + " sizes");
  for (std::size_t j = 0; j < n_classes; ++j) {
    std::size_t const size = class_begin[j + 1] - class_begin[j];
    if (wanted[j] > size)
      throw std::invalid_argument("class_sizes asks for " + std::to_string(wanted[j]) + " rows of class " + std::to_string(j) +
                                  ", which has " + std::to_string(size) + " of positive weight");
  }
  if (std::all_of(wanted.begin(), wanted.end(), [](std::size_t size) { return size == 0; }))
    throw std::invalid_argument("class_sizes asks for no row of any class");
}

}  // namespace rarewood
