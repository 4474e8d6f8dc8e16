// The compact form of a tree, whatever its tests are. The tree keeps it (lazy_cache.hpp) once enough rows have come, one form for rows of
// float32 and one for rows of float64.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include "predict/descent.hpp"
#include "rarewood/lazy_cache.hpp"
#include "rarewood/tree.hpp"

namespace rarewood {

template <class T>
class PreparedTree final : public LazyCache::Thing {
 public:
  template <class CompactNode>
  explicit PreparedTree(CompactTree<CompactNode> compact) : compact_(std::move(compact)) {}

  // visit(compact tree), whatever its nodes are.
  template <class Visit>
  decltype(auto) visit(Visit visit) const {
    return std::visit(visit, compact_);
  }

  // At most block_rows rows, `stride` apart.
  Arrivals const& descend(Tree const& tree, Descent& descent, T const* rows, std::ptrdiff_t stride, std::size_t n,
                          bool may_be_missing) const {
    return visit([&](auto const& compact) -> Arrivals const& {
      return descent.descend(tree, compact, rows, static_cast<std::size_t>(stride), n, may_be_missing);
    });
  }

  std::size_t bytes() const override {
    return sizeof *this + visit([](auto const& compact) { return compact.bytes(); });
  }

 private:
  using AnyCompactTree =
      std::conditional_t<std::is_same_v<T, float>,
                         std::variant<CompactTree<NarrowNode>, CompactTree<WideNode>, CompactTree<SlantedNode>, CompactTree<PlacedNode>>,
                         std::variant<CompactTree<WideNode>, CompactTree<SlantedNode>, CompactTree<PlacedNode>>>;

  AnyCompactTree compact_;
};

template <class T>
std::unique_ptr<LazyCache::Thing const> prepare(Tree const& tree) {
  bool const has_lines = !tree.records_of<Plane>().empty();
  if (has_lines && SlantedNode::can_hold(tree)) {
    if (tree.category_lists.empty()) return std::make_unique<PreparedTree<T>>(CompactTree<SlantedNode>(tree));
    return std::make_unique<PreparedTree<T>>(CompactTree<PlacedNode>(tree));
  }
  if constexpr (std::is_same_v<T, float>) {
    if (NarrowNode::can_hold(tree)) return std::make_unique<PreparedTree<T>>(CompactTree<NarrowNode>(tree));
  }
  return std::make_unique<PreparedTree<T>>(CompactTree<WideNode>(tree));
}

// The compact form for n_rows more rows; nothing as long as descending the original tree costs less than making it.
template <class T>
PreparedTree<T> const* prepared(Tree const& tree, std::size_t n_rows) {
  LazyCache const& kept = std::is_same_v<T, float> ? tree.for_floats : tree.for_doubles;
  LazyCache::Thing const* there = kept.get();
  if (there == nullptr) {
    if (tree.n_features == 0 || !WideNode::can_hold(tree) || 4 * kept.count_rows(n_rows) < tree.nodes.size()) return nullptr;
    there = kept.get_or_make([&tree] { return prepare<T>(tree); });
  }
  return static_cast<PreparedTree<T> const*>(there);
}

}  // namespace rarewood
