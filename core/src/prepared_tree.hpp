// The stairs of a tree, whatever its tests are, as the tree keeps them once enough rows have come: for rows of float32, and for rows of float64.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include "descent.hpp"
#include "rarewood/kept.hpp"
#include "rarewood/tree.hpp"

namespace rarewood {

template <class T>
class PreparedTree final : public Kept::Thing {
 public:
  template <class Step>
  explicit PreparedTree(Stairs<Step> stairs) : stairs_(std::move(stairs)) {}

  // visit(stairs), whatever their steps are.
  template <class Visit>
  decltype(auto) visit(Visit visit) const {
    return std::visit(visit, stairs_);
  }

  // At most block_rows rows, `stride` apart.
  Arrivals const& walk(Tree const& tree, Descent& descent, T const* rows, std::ptrdiff_t stride, std::size_t n, bool may_be_missing) const {
    return visit([&](auto const& stairs) -> Arrivals const& {
      return descent.walk(tree, stairs, rows, static_cast<std::size_t>(stride), n, may_be_missing);
    });
  }

  std::size_t bytes() const override {
    return sizeof *this + visit([](auto const& stairs) { return stairs.bytes(); });
  }

 private:
  using AnyStairs = std::conditional_t<std::is_same_v<T, float>, std::variant<Stairs<NarrowStep>, Stairs<WideStep>, Stairs<SlantedStep>>,
                                       std::variant<Stairs<WideStep>, Stairs<SlantedStep>>>;

  AnyStairs stairs_;
};

template <class T>
std::unique_ptr<Kept::Thing const> prepare(Tree const& tree) {
  bool const has_lines = !tree.records_of<Plane>().empty();
  if (has_lines && SlantedStep::can_hold(tree)) return std::make_unique<PreparedTree<T>>(Stairs<SlantedStep>(tree));
  if constexpr (std::is_same_v<T, float>) {
    if (NarrowStep::can_hold(tree)) return std::make_unique<PreparedTree<T>>(Stairs<NarrowStep>(tree));
  }
  return std::make_unique<PreparedTree<T>>(Stairs<WideStep>(tree));
}

// The stairs for n_rows more rows; nothing as long as walking the tree itself costs less than making them.
template <class T>
PreparedTree<T> const* prepared(Tree const& tree, std::size_t n_rows) {
  Kept const& kept = std::is_same_v<T, float> ? tree.for_floats : tree.for_doubles;
  Kept::Thing const* there = kept.get();
  if (there == nullptr) {
    if (tree.n_features == 0 || !WideStep::can_hold(tree) || 4 * kept.count_rows(n_rows) < tree.nodes.size()) return nullptr;
    there = kept.get_or_make([&tree] { return prepare<T>(tree); });
  }
  return static_cast<PreparedTree<T> const*>(there);
}

}  // namespace rarewood
