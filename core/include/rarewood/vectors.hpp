// Vector instructions that not every machine has. They change no result.
#pragma once

namespace rarewood {

// For tests: whether fits and predictions may use them. Returns whether they will.
bool allow_vectors(bool wanted);

}  // namespace rarewood
