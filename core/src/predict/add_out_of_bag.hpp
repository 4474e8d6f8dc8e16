// Sums over out-of-bag rows: the leaf probabilities of trees that did not draw a row.
#pragma once

#include <functional>
#include <span>

#include "base/row_set.hpp"
#include "rarewood/dataset_rows.hpp"
#include "rarewood/matrix_view.hpp"
#include "rarewood/out_of_bag.hpp"

namespace rarewood {

// The rows of a table that a tree of a plan did not draw.
using OutOfBagRows = std::function<RowSet(std::size_t tree)>;

// Adds the leaf probabilities of trees `first`, `first` + 1, ... to the sums of the rows of the table, tree by tree in order. The table is a
// MatrixView or DatasetRows.
template <class Table>
void add_out_of_bag(Table const& table, OutOfBagRows const& rows_of, std::size_t first, std::span<Tree const> trees,
                    std::span<PseudoCounts const> pseudo_counts, unsigned n_threads, Monitor& monitor, OutOfBag& result);

}  // namespace rarewood
