#include "rarewood/votes.hpp"

#include <stdexcept>
#include <string>

namespace rarewood {

namespace {

bool wins(double const* counts, std::size_t n_classes, std::size_t cls) {
  for (std::size_t j = 0; j < n_classes; ++j) {
    if (j != cls && counts[j] >= counts[cls]) return false;
  }
  return true;
}

Tree voter(Tree const& tree, std::size_t cls) {
  Tree result = tree;
  result.n_classes = 2;
  result.leaf_table.clear();
  for (std::size_t row = 0; row * tree.leaf_stride() < tree.leaf_table.size(); ++row) {
    double const vote = wins(tree.leaf_row(row), tree.n_classes, cls) ? 1.0 : 0.0;
    result.leaf_table.insert(result.leaf_table.end(), {1.0 - vote, vote, 1.0});
  }
  return result;
}

}  // namespace

std::vector<Tree> voters(std::span<Tree const> trees, std::size_t cls) {
  std::vector<Tree> result;
  for (Tree const& tree : trees) {
    if (cls >= tree.n_classes)
      throw std::invalid_argument("there is no class " + std::to_string(cls) + " in a tree of " + std::to_string(tree.n_classes) +
                                  " classes");
    result.push_back(voter(tree, cls));
  }
  return result;
}

}  // namespace rarewood
