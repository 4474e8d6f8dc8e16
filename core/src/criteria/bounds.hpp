// The bounds of the criteria that have one (see screen.hpp). Each adds to its float32 result what rounding may have taken off.
#pragma once

#include <span>

#include "rarewood/screen.hpp"

namespace rarewood {

inline constexpr std::size_t most_sorted_classes = 16;

// Hellinger distance, two children, 2 to most_sorted_classes classes present.
void hellinger_bounds(ScreenBatch const& batch, float* bounds);

// Decrease of the Gini index; purity: sum of squared class shares at the node.
void gini_bounds(ScreenBatch const& batch, double purity, float* bounds);

// Information gain in bits; entropy: of the node.
void gain_bounds(ScreenBatch const& batch, double entropy, float* bounds);
// Information gain divided by the entropy of the children's sizes.
void gain_ratio_bounds(ScreenBatch const& batch, double entropy, float* bounds);

// Alpha divergence, power = alpha - 1 and not near 0. inverse_share: 1 / q_j per present class.
void alpha_bounds(ScreenBatch const& batch, double power, std::span<float const> inverse_share, float* bounds);
// Alpha divergence with the reference 'flipped': from the child's own shares, exchanged; two classes, both present.
void flipped_alpha_bounds(ScreenBatch const& batch, double power, float* bounds);

}  // namespace rarewood
