// Cuts of a numeric column at a node of two classes whose rows weigh one each and miss no value. Codes are put in order by marking
// them in a bitmap and reading its bits; nothing branches on the class of a row, which on hard nodes no processor can predict.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "search/candidates.hpp"
#include "search/node_cells.hpp"

namespace rarewood {

class BitmapOrder {
 public:
  static bool applies(NodeCells<Code> const& codes) {
    return codes.n_classes() == 2 && codes.weights().empty() && !codes.range().any_missing();
  }

  static double cost(NodeCells<Code> const& codes) {
    double const rows = static_cast<double>(codes.size());
    double const width = static_cast<double>(codes.width());
    return 60.0 + 3.2 * rows + 8.0 * std::min(rows, width / 64.0) + width / 4096.0;
  }

  // Proposes the cuts that CutProposer would and says how many were taken; nothing where many rows share their code, for that is slow here.
  std::optional<std::size_t> visit(NodeCells<Code> const& codes, double min_cases, bool prune_runs, Candidates& candidates) {
    if (!mark(codes)) return std::nullopt;
    return propose(codes, min_cases, prune_runs, candidates);
  }

 private:
  static constexpr Code no_code = static_cast<Code>(-1);
  static constexpr std::uint32_t mixed = 2;  // a value held by rows of both classes

  struct Repeat {  // one more row with a code that is marked already
    Code code;
    std::uint32_t cls;
    bool operator<(Repeat const& other) const { return code < other.code; }
  };

  // Marks every code, and those of class 1 a second time. False, and nothing marked, if too many are repeated.
  bool mark(NodeCells<Code> const& codes) {
    Code const low = codes.range().low;
    std::size_t const range = codes.width();
    std::size_t const most_repeats = codes.size() / 16 + 2;
    if (marked_.size() < range / 64 + 1) {
      marked_.resize(range / 64 + 1, Word{});
      busy_.resize(range / 4096 + 1, 0);
    }
    repeats_.clear();
    std::span<Code const> const cells = codes.cells();
    for (std::uint32_t cls = 0; cls < 2; ++cls) {
      for (std::size_t i = codes.class_begin(cls); i < codes.class_end(cls); ++i) {
        Code const code = cells[i] - low;
        std::uint64_t const bit = std::uint64_t{1} << (code % 64);
        Word& word = marked_[code / 64];
        if ((word.any & bit) != 0) [[unlikely]] {
          repeats_.push_back({code, cls});
          if (repeats_.size() > most_repeats) return clear(range);
          continue;
        }
        word.any |= bit;
        word.second |= cls == 1 ? bit : 0;
        busy_[code / 4096] |= std::uint64_t{1} << (code / 64 % 64);
      }
    }
    std::sort(repeats_.begin(), repeats_.end());
    repeats_.push_back({no_code, 0});
    return true;
  }

  bool clear(std::size_t range) {
    std::fill_n(marked_.begin(), range / 64 + 1, Word{});
    std::fill_n(busy_.begin(), range / 4096 + 1, 0);
    return false;
  }

  std::size_t propose(NodeCells<Code> const& codes, double min_cases, bool prune_runs, Candidates& candidates) {
    Code const low = codes.range().low;
    std::size_t const range = codes.width();
    std::uint32_t const n_rows = static_cast<std::uint32_t>(codes.size());
    // Where minimum sizes could forbid a neighbour, and without pruning everywhere, cuts inside runs are proposed, too: see CutProposer.
    std::uint32_t const least =
        prune_runs ? static_cast<std::uint32_t>(std::clamp(std::ceil(min_cases), 0.0, static_cast<double>(n_rows))) : n_rows;
    std::uint32_t left = 0, left_second = 0, left_before_last = 0, last_kind = mixed;
    Code last_code = 0;
    std::size_t n_taken = 0, n_cuts = 0;
    Repeat const* repeat = repeats_.data();
    for (std::size_t b = 0; b <= range / 4096; ++b) {
      for (std::uint64_t busy = std::exchange(busy_[b], 0); busy != 0; busy &= busy - 1) {
        std::size_t const place = 64 * b + static_cast<std::size_t>(std::countr_zero(busy));
        Word const word = std::exchange(marked_[place], Word{});
        if (n_cuts + 64 > most_cuts)
          n_taken += candidates.propose_cuts(first_.data(), second_.data(), cuts_.data(), std::exchange(n_cuts, 0));
        for (std::uint64_t bits = word.any; bits != 0; bits &= bits - 1) {
          int const bit = std::countr_zero(bits);
          Code const code = static_cast<Code>(64 * place) + static_cast<Code>(bit);
          std::uint32_t kind = static_cast<std::uint32_t>(word.second >> bit & 1);
          std::uint32_t rows = 1, rows_second = kind;
          for (; repeat->code == code; ++repeat) {
            ++rows;
            rows_second += repeat->cls;
            kind = repeat->cls == kind ? kind : mixed;
          }
          first_[n_cuts] = left - left_second;
          second_[n_cuts] = left_second;
          cuts_[n_cuts] = low + last_code;
          bool const inside_run = kind == last_kind && kind != mixed && left_before_last >= least && n_rows - left - rows >= least;
          n_cuts += static_cast<std::size_t>(!inside_run & (left > 0));
          left_before_last = left;
          left += rows;
          left_second += rows_second;
          last_code = code;
          last_kind = kind;
        }
      }
    }
    return n_taken + candidates.propose_cuts(first_.data(), second_.data(), cuts_.data(), n_cuts);
  }

  struct Word {
    std::uint64_t any = 0;
    std::uint64_t second = 0;
  };

  static constexpr std::size_t most_cuts = 512;

  std::vector<Word> marked_;                             // a bit per code; zero between calls
  std::vector<std::uint64_t> busy_;                      // a bit per word of it; zero between calls
  std::vector<Repeat> repeats_;                          // ascending, and a sentinel
  std::array<std::uint32_t, most_cuts> first_, second_;  // rows of each class below the cut
  std::array<Code, most_cuts> cuts_;
};

}  // namespace rarewood
