// Rows of one node on their way from a part to where its subtree is grown: per class how many, their weights, and column by column their
// cells in the form the table keeps them.
#pragma once

#include <span>
#include <vector>

#include "base/archive.hpp"
#include "samples/sample.hpp"

namespace rarewood {

inline void write_rows(Dataset const& data, Sample const& sample, std::size_t begin, std::span<std::size_t const> class_begin,
                       ArchiveWriter& block) {
  std::vector<std::uint64_t> sizes;
  for (std::size_t j = 0; j + 1 < class_begin.size(); ++j) sizes.push_back(class_begin[j + 1] - class_begin[j]);
  block.put_list(sizes);
  std::span<Position const> const rows{sample.positions.data() + begin, class_begin.back()};
  std::vector<double> weights;
  for (std::size_t i = 0; i < rows.size() && !sample.weights.empty(); ++i) weights.push_back(sample.weights[begin + i]);
  block.put_list(weights);
  auto const write = [&]<class T>(std::span<T const> column) {
    std::vector<T> cells(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) cells[i] = column[rows[i]];
    block.put_list(cells);
  };
  for (std::size_t f = 0; f < data.n_features(); ++f) {
    if (data.is_nominal(f)) {
      write(data.codes(f));
    } else if (data.is_wide(f)) {
      write(data.wide(f));
    } else {
      write(data.narrow(f));
    }
  }
}

}  // namespace rarewood
