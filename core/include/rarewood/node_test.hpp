// The kinds of test that a node makes of a row: a closed sum. Everything that differs from kind to kind stands in the kind's own file;
// prediction, growth, pruning, checks, pickles and model files visit it.
//
// To add one: a file in node_tests/ that has what the others have, and its name in `NodeTest`. A kind may keep a `Record` per node beside the
// 16 bytes; every kind but Threshold keeps a record or a list of categories, which is how prediction recognises trees of thresholds alone.
#pragma once

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "rarewood/node_tests/branches.hpp"
#include "rarewood/node_tests/category_set.hpp"
#include "rarewood/node_tests/plane.hpp"
#include "rarewood/node_tests/threshold.hpp"

namespace rarewood {

using NodeTest = std::variant<Threshold, CategorySet, Branches, Plane>;

template <class Kind>
concept HasRecord = requires { typename Kind::Record; };

namespace detail {

template <class Kind>
struct PoolsOf {
  using type = std::tuple<>;
};
template <HasRecord Kind>
struct PoolsOf<Kind> {
  using type = std::tuple<std::vector<typename Kind::Record>>;
};

template <class>
struct Kinds;
template <class... K>
struct Kinds<std::variant<K...>> {
  using Split = std::variant<typename K::Split...>;
  using RecordPools = decltype(std::tuple_cat(typename PoolsOf<K>::type{}...));

  // visit(std::type_identity<Kind>): of the kind with this number; `otherwise` if there is none.
  template <class Result, class Visit>
  static Result visit(std::uint32_t number, Result otherwise, Visit&& visit) {
    Result result = otherwise;
    (void)((number == K::number ? (result = visit(std::type_identity<K>{}), true) : false) || ...);
    return result;
  }
  template <class Visit>
  static void for_each(Visit&& visit) {
    (visit(std::type_identity<K>{}), ...);
  }

  static constexpr bool numbered_in_order = [] {
    std::uint32_t next = 1;
    return ((K::number == next++) && ...);
  }();
};

}  // namespace detail

// A split of training rows, before it has become a test.
using Split = detail::Kinds<NodeTest>::Split;
using RecordPools = detail::Kinds<NodeTest>::RecordPools;

static_assert(detail::Kinds<NodeTest>::numbered_in_order);

// visit(std::type_identity<Kind>) for the kind of a node that is not a leaf; `otherwise` for a leaf or an unknown kind.
template <class Result, class Visit>
Result visit_kind(Node const& node, Result otherwise, Visit&& visit) {
  return detail::Kinds<NodeTest>::visit(node.kind(), otherwise, visit);
}

template <class Visit>
void for_each_kind(Visit&& visit) {
  detail::Kinds<NodeTest>::for_each(visit);
}

}  // namespace rarewood
