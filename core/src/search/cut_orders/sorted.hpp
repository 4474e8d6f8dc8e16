// All cells sorted: works for any node.
#pragma once

#include "search/cut_orders/cut_proposer.hpp"
#include "search/cut_orders/sorted_keys.hpp"

namespace rarewood {

class SortedOrder {
 public:
  static double cost(NodeCells<Code> const& codes) { return SortedKeys::cost(static_cast<double>(codes.size())); }

  template <bool Weighted>
  void visit(NodeRows const& node, NodeCells<Code> const& codes, CutProposer& cuts) {
    constexpr std::size_t nobody = static_cast<std::size_t>(-1);
    keys_.sort<Weighted>(codes, nobody);
    auto const cls = [&](std::size_t i) { return keys_.cls<Weighted>(i, codes); };
    for (std::size_t i = 0; i < keys_.size();) {
      Code const code = keys_.code(i);
      std::size_t end = i + 1;
      while (end < keys_.size() && keys_.code(end) == code) ++end;
      std::size_t const first = cls(i);
      double cases = static_cast<double>(end - i);
      if constexpr (Weighted) {
        cases = 0.0;
        for (std::size_t k = i; k < end; ++k) cases += node.cases_of(keys_.weight<Weighted>(k, codes));
      }
      cuts.next_value(codes.range().low + code, first == cls(end - 1) ? first : CutProposer::mixed, cases);
      for (; i < end; ++i) {
        double const w = keys_.weight<Weighted>(i, codes);
        cuts.add(cls(i), w, node.cases_of(w));
      }
    }
  }

 private:
  SortedKeys keys_;
};

}  // namespace rarewood
