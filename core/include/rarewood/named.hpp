// Choices by the names that users write. A choice lists its names once, as Names<Choice>; both directions read that list.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace rarewood {

// Specialised beside each choice: `what` it is called, and `all` names with their values.
template <class Choice>
struct Names;

template <class Choice>
concept Named = requires { Names<Choice>::all; };

template <Named Choice>
std::string_view name_of(Choice value) {
  for (auto const& [name, named] : Names<Choice>::all) {
    if (named == value) return name;
  }
  return {};
}

// Throws std::invalid_argument for an unknown name.
template <Named Choice>
Choice choice_named(std::string_view given) {
  std::string accepted;
  std::size_t left = std::size(Names<Choice>::all);
  for (auto const& [name, named] : Names<Choice>::all) {
    if (name == given) return named;
    --left;
    accepted.append("'").append(name).append(left > 1 ? "', " : left == 1 ? "' or " : "'");
  }
  throw std::invalid_argument(
      std::string(Names<Choice>::what).append(" must be ").append(accepted).append(", got '").append(given).append("'"));
}

}  // namespace rarewood
