// What trees say of rows that they did not see.
#pragma once

#include <functional>
#include <span>

#include "rarewood/forest.hpp"
#include "rarewood/matrix_view.hpp"
#include "row_set.hpp"

namespace rarewood {

// The rows of a table that a tree of a plan did not see.
using UnseenRows = std::function<RowSet(std::size_t tree)>;

// Adds the leaf probabilities of trees `first`, `first` + 1, ... to the sums of the rows of the table, tree by tree in order.
void add_unseen(MatrixView const& table, UnseenRows const& unseen, std::size_t first, std::span<Tree const> trees,
                PseudoCounts const& pseudo_counts, unsigned n_threads, Monitor& monitor, OutOfBag& result);

}  // namespace rarewood
