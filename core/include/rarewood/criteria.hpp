// The registry of split criteria: names and parameters -> scorer.
//
// To add a criterion:
//   1. write core/src/criteria/<name>.hpp: a struct with `name`, `traits` and `at_node(parent)` (gini.hpp is a complete example);
//   2. add it to `for_each_criterion` in core/src/criteria/criteria.cpp (and its parameters, if any, to CriterionSpec);
//   3. write src/rarewood/criteria/_<name>.py: a frozen dataclass with formula, range, citation, example; name it in _registry.py and __init__.py;
//   4. add its naive twin to tests/oracle/criteria.py;
//   5. if scores are slow and an upper bound is not, give it one (screen.hpp): tests/criteria/test_bounds.py finds it.
// Parameter checks, tests, docs table and command-line choices follow from the registry.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rarewood/scorer.hpp"

namespace rarewood {

struct CriterionSpec {
  std::string name;
  double alpha = 0.5;                  // alpha divergence only
  std::string reference = "marginal";  // alpha divergence only: marginal | uniform | flipped
};

std::vector<std::string> criterion_names();

// Up to so many classes the Hellinger distance looks at every way to divide them in two; beyond, at one class against the rest.
std::size_t most_enumerated_classes();

// What a search may take for granted. Throws std::invalid_argument for an unknown name or a parameter out of range.
SearchTraits criterion_traits(CriterionSpec const& spec);

// Throws std::invalid_argument for an unknown name, a parameter out of range, or a number of classes the criterion is not defined for.
std::unique_ptr<Scorer> make_scorer(CriterionSpec const& spec, std::size_t n_classes);

// Score of one split given by its full table; the parent is the sum of the children. An empty table scores 0, and so does a table
// of one class, except under dcsm, whose formula is not measured from the parent. Leaves the scorer at no particular node.
double score_table(Scorer& scorer, DenseTable const& table);

}  // namespace rarewood
