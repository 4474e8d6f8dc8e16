// Cuts of a numeric column at a node whose candidates are screened: any number of classes, rows of small whole weights, none of them missing.
// Codes are put in order by marking them in a bitmap, class and weight beside it. Where one class dominates and cuts inside its runs
// cannot win, only the others are marked, the anchors, and its rows are counted between them by rank: marked codes below, a popcount.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/compilers.hpp"
#include "search/cut_orders/count_by_rank.hpp"
#include "search/cut_orders/cut_sinks.hpp"
#include "search/node_cells.hpp"

namespace rarewood {

class ClassBitmapOrder {
 public:
  // Of a cut: smallest child, cases of the node, whether cuts inside a run of one class may be left out.
  struct Limits {
    double min_cases;
    double cases;
    bool prune_runs;
  };

  static bool applies(NodeCells<Code> const& codes, Candidates const& candidates) {
    return candidates.screening() && !candidates.restrained() && !codes.range().any_missing();
  }

  // Estimated nanoseconds.
  static double cost(NodeCells<Code> const& codes, Limits const& limits) {
    return std::min(cost_of_all(codes), anchors_apply(codes, limits) ? cost_of_anchors(codes) : never);
  }

  // Proposes the cuts that CutProposer would and says how many were taken; nothing where many rows share their code, for that is slow here.
  std::optional<std::size_t> visit(NodeCells<Code> const& codes, Limits const& limits, Candidates& candidates) {
    dominant_ = anchors_apply(codes, limits) && cost_of_anchors(codes) < cost_of_all(codes) ? largest_class(codes) : nobody;
    if (!mark(codes, candidates.present())) return std::nullopt;
    if (dominant_ != nobody) count_dominant(codes);
    return with_cut_sink(candidates, [&](auto&& sink) {
      return dominant_ == nobody ? propose<false>(codes, limits, sink) : propose<true>(codes, limits, sink);
    });
  }

 private:
  static constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();
  static constexpr std::uint32_t mixed = std::numeric_limits<std::uint32_t>::max();  // a value held by rows of several classes
  static constexpr double never = std::numeric_limits<double>::infinity();

  struct Held {  // by a row: its class, as a place among those present, and its weight
    std::uint8_t cls;
    std::uint8_t weight;
  };
  struct Repeat {  // one more row with a code that is marked already
    Code code;
    Held held;
    bool operator<(Repeat const& other) const { return code < other.code; }
  };

  static std::size_t largest_class(NodeCells<Code> const& codes) {
    std::size_t best = 0;
    for (std::size_t j = 1; j < codes.n_classes(); ++j) best = codes.cells(j).size() > codes.cells(best).size() ? j : best;
    return best;
  }

  // Ranks cost a pass over the words of the bitmap, so there must be few of them.
  static bool anchors_apply(NodeCells<Code> const& codes, Limits const& limits) {
    return limits.prune_runs && limits.min_cases <= 1.0 && codes.width() / 16 <= codes.cells(largest_class(codes)).size();
  }

  static double cost_of_all(NodeCells<Code> const& codes) {
    double const rows = static_cast<double>(codes.size());
    double const width = static_cast<double>(codes.width());
    return 60.0 + 8.0 * rows + 8.0 * std::min(rows, width / 64.0) + width / 4096.0;
  }

  static double cost_of_anchors(NodeCells<Code> const& codes) {
    double const rows = static_cast<double>(codes.size());
    double const others = rows - static_cast<double>(codes.cells(largest_class(codes)).size());
    double const width = static_cast<double>(codes.width());
    return 60.0 + 2.0 * rows + 14.0 * others + width / 64.0;
  }

  // Marks every code but those of the dominant class. False, and nothing marked, if too many are repeated or a weight is too large.
  bool mark(NodeCells<Code> const& codes, std::span<std::uint32_t const> present) {
    Code const low = codes.range().low;
    std::size_t const width = codes.width();
    std::size_t const most_repeats = codes.size() / 16 + 2;
    std::span<Code const> const cells = codes.cells();
    std::span<double const> const weights = codes.weights();
    if (held_.size() < width) {
      held_.resize(width);
      marked_.resize(width / 64 + 1, 0);
      busy_.resize(width / 4096 + 1, 0);
    }
    repeats_.clear();
    n_marked_ = 0;
    for (std::size_t p = 0; p < present.size(); ++p) {
      std::size_t const j = present[p];
      if (j == dominant_) {
        dominant_place_ = static_cast<std::uint8_t>(p);
        continue;
      }
      for (std::size_t i = codes.class_begin(j); i < codes.class_end(j); ++i) {
        Code const code = cells[i] - low;
        double const weight = weights.empty() ? 1.0 : weights[i];
        if (weight > 255.0) return clear(width);
        Held const held{static_cast<std::uint8_t>(p), static_cast<std::uint8_t>(weight)};
        std::uint64_t const bit = std::uint64_t{1} << (code % 64);
        std::uint64_t& word = marked_[code / 64];
        if ((word & bit) != 0) [[unlikely]] {
          repeats_.push_back({code, held});
          if (repeats_.size() > most_repeats) return clear(width);
          continue;
        }
        word |= bit;
        held_[code] = held;
        busy_[code / 4096] |= std::uint64_t{1} << (code / 64 % 64);
      }
      n_marked_ += codes.class_end(j) - codes.class_begin(j);
    }
    n_marked_ -= repeats_.size();
    std::stable_sort(repeats_.begin(), repeats_.end());
    repeats_.push_back({missing_code, {0, 0}});
    return true;
  }

  bool clear(std::size_t width) {
    std::fill_n(marked_.begin(), width / 64 + 1, 0);
    std::fill_n(busy_.begin(), width / 4096 + 1, 0);
    return false;
  }

  // Slot 2a: the weight of the dominant class strictly between anchors a - 1 and a; slot 2a + 1: tied with anchor a.
  void count_dominant(NodeCells<Code> const& codes) {
    std::size_t const n_words = codes.width() / 64 + 1;
    ranks_.resize(n_words);
    std::uint32_t rank = 0;
    for (std::size_t w = 0; w < n_words; ++w) ranks_[w] = rank += static_cast<std::uint32_t>(std::popcount(marked_[w]));
    counts_.assign(2 * (n_marked_ + 1), 0);
    std::size_t const begin = codes.class_begin(dominant_);
    double const* const weights = codes.weights().empty() ? nullptr : codes.weights().data() + begin;
    count_by_rank(codes.cells(dominant_), codes.range().low, weights, {marked_.data(), ranks_.data()}, counts_.data());
  }

  // The values in ascending order, each with its rows; between them, the cuts that are allowed. Clears the marks.
  template <bool Anchored, class Sink>
  std::size_t propose(NodeCells<Code> const& codes, Limits const& limits, Sink& sink) {
    Code const low = codes.range().low;
    std::uint32_t const n_cases = static_cast<std::uint32_t>(limits.cases);
    std::uint32_t const least_child = static_cast<std::uint32_t>(std::clamp(std::ceil(limits.min_cases), 1.0, limits.cases + 1.0));
    // Where minimum sizes could forbid a neighbour, and without pruning everywhere, cuts inside runs are proposed, too: see CutProposer.
    std::uint32_t const least_beside = limits.prune_runs ? least_child : n_cases + 1;
    std::uint32_t left = 0, left_before_last = 0, last_kind = mixed;
    Code last_code = 0;
    std::size_t n_taken = 0;
    // The next value: `rows` of class `kind`, or mixed; to be followed by adding them.
    auto const next_value = [&](Code code, std::uint32_t kind, std::uint32_t rows) RAREWOOD_INLINED {
      bool const inside_run =
          kind == last_kind && kind != mixed && (Anchored || (left_before_last >= least_beside && left + rows + least_beside <= n_cases));
      bool const taken = !inside_run && left >= least_child && left + least_child <= n_cases;
      sink.cut(low + last_code, left, taken);
      n_taken += taken ? 1 : 0;
      left_before_last = left;
      left += rows;
      last_code = code;
      last_kind = kind;
    };
    Repeat const* repeat = repeats_.data();
    std::size_t const width = codes.width();
    [[maybe_unused]] std::uint32_t const* count = counts_.data();
    for (std::size_t b = 0; b <= width / 4096; ++b) {
      for (std::uint64_t busy = std::exchange(busy_[b], 0); busy != 0; busy &= busy - 1) {
        std::size_t const place = 64 * b + static_cast<std::size_t>(std::countr_zero(busy));
        for (std::uint64_t bits = std::exchange(marked_[place], 0); bits != 0; bits &= bits - 1) {
          Code const code = static_cast<Code>(64 * place) + static_cast<Code>(std::countr_zero(bits));
          Held const held = held_[code];
          std::uint32_t kind = held.cls;
          std::uint32_t rows = held.weight;
          [[maybe_unused]] std::uint32_t tied = 0;
          if constexpr (Anchored) {
            if (*count > 0) {
              next_value(code - 1, dominant_place_, *count);
              sink.add(dominant_place_, *count);
            }
            tied = count[1];
            count += 2;
            rows += tied;
            kind = tied > 0 ? mixed : kind;
          }
          Repeat const* const first_repeat = repeat;
          for (; repeat->code == code; ++repeat) {
            rows += repeat->held.weight;
            kind = repeat->held.cls == kind ? kind : mixed;
          }
          next_value(code, kind, rows);
          sink.add(held.cls, held.weight);
          if (Anchored && tied > 0) sink.add(dominant_place_, tied);
          for (Repeat const* r = first_repeat; r != repeat; ++r) sink.add(r->held.cls, r->held.weight);
        }
      }
    }
    if (Anchored && *count > 0) next_value(0, dominant_place_, *count);
    sink.finish();
    return n_taken;
  }

  std::size_t dominant_ = nobody;
  std::uint8_t dominant_place_ = 0;  // among the classes present
  std::size_t n_marked_ = 0;
  std::vector<Held> held_;             // of marked codes
  std::vector<std::uint64_t> marked_;  // a bit per code; zero between calls
  std::vector<std::uint64_t> busy_;    // a bit per word of it; zero between calls
  std::vector<Repeat> repeats_;        // ascending, and a sentinel
  std::vector<std::uint32_t> ranks_;   // marked codes up to the end of each word
  std::vector<std::uint32_t> counts_;  // of the dominant class, by slot
};

}  // namespace rarewood
