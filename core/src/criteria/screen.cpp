#include "rarewood/screen.hpp"

#include "criteria/information.hpp"

namespace rarewood {

bool ScreenNode::enter(Counts totals, std::span<double const> class_weights, double weighted_size) {
  constexpr double most_cases = 1 << 24;
  constexpr double least_size = 1.0 / (1 << 20);
  constexpr double least_weight = 1.0 / (1 << 30);
  std::size_t const n_classes = totals.size() - 1;
  n_present = 0;
  if (!(totals[n_classes] < most_cases) || !(weighted_size < most_cases) || !(weighted_size > least_size)) return false;
  inverse_size = static_cast<float>(1.0 / weighted_size);
  for (std::size_t j = 0; j < n_classes; ++j) {
    double const class_weight = class_weights.empty() ? 1.0 : class_weights[j];
    if (!(totals[j] * class_weight > 0.0)) continue;
    if (n_present == most_screened_classes || !(class_weight > least_weight * weighted_size)) return false;
    cls[n_present] = static_cast<std::uint32_t>(j);
    total[n_present] = static_cast<float>(totals[j]);
    weight[n_present++] = static_cast<float>(class_weight);
  }
  return n_present >= 2;
}

double const* RunningScore::x_log2_x() { return criteria::whole_number_logs.x_log2_x.data(); }

}  // namespace rarewood
