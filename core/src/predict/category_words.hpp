// What compact nodes look up about categories: one pool of words per compact tree. A node has a *slot* in it, a beginning and a size that is a
// power of two, so that a look-up needs no search, and no branch for a category that training never saw.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rarewood/types.hpp"

namespace rarewood {

class CategoryWords {
 public:
  struct Slot {
    std::uint32_t begin;
    std::uint32_t size_log2;

    // As one number, never 0: the first word belongs to no slot.
    std::uint32_t packed() const { return begin << 5 | size_log2; }
    static Slot unpacked(std::uint32_t number) { return {number >> 5, number & 31U}; }
  };
  static constexpr std::uint32_t most_words = 1U << 27;  // so that slots can be packed

  // Slots of so many nodes will be asked for. Sparse categories among very many would take more memory than the rest of the tree: then no
  // slot is given, and the original tree decides.
  explicit CategoryWords(std::size_t n_nodes) : words_(1, 0), room_(std::min<std::size_t>(most_words, (1U << 17) + 32 * n_nodes)) {}

  std::uint32_t const* data() const { return words_.data(); }
  bool empty() const { return words_.size() == 1; }
  std::size_t bytes() const { return words_.capacity() * sizeof(std::uint32_t); }
  void shrink_to_fit() { words_.shrink_to_fit(); }

  // One bit per code: 1 goes right. The last bit stands for all codes that follow, none of which is in the set.
  std::optional<Slot> add_set(std::span<Code const> left) {
    Code const last = left.empty() ? 0 : *std::max_element(left.begin(), left.end());
    if (last >= most_words) return std::nullopt;
    std::optional<Slot> const slot = add(static_cast<std::uint32_t>(std::bit_width((last + 1) / 32)), ~0U);
    if (slot) {
      for (Code const code : left) words_[slot->begin + code / 32] &= ~(1U << code % 32);
    }
    return slot;
  }
  static bool is_right(std::uint32_t const* words, Slot slot, double cell) {
    auto const last = static_cast<double>((std::uint64_t{32} << slot.size_log2) - 1);
    double const bounded = cell < last ? cell : last;                    // last also for NaN
    auto const code = static_cast<Code>(bounded > 0.0 ? bounded : 0.0);  // a number, when a node that is no set looks at the first word
    return (words[slot.begin + code / 32] >> code % 32 & 1U) != 0;
  }

  // One word per code, at the lowest bits of the code, which differ between the codes: the code and its place.
  static constexpr int place_bits = 16;
  std::optional<Slot> add_places(std::span<Code const> codes, std::span<Code const> places) {
    constexpr Code most = 1U << place_bits;
    auto const is_small = [](Code number) { return number < most; };
    if (codes.empty() || !std::all_of(codes.begin(), codes.end(), is_small) || !std::all_of(places.begin(), places.end(), is_small))
      return std::nullopt;
    std::uint32_t const size_log2 = bits_that_differ(codes);
    std::optional<Slot> const slot = add(size_log2, 0);
    if (!slot) return std::nullopt;
    std::uint32_t* const words = words_.data() + slot->begin;
    std::uint32_t const mask = (1U << size_log2) - 1;
    for (std::uint32_t i = 0; i <= mask; ++i) words[i] = (i ^ 1U) << place_bits;  // of a code that is looked up elsewhere
    for (std::size_t i = 0; i < codes.size(); ++i) words[codes[i] & mask] = codes[i] << place_bits | (places.empty() ? 0 : places[i]);
    return slot;
  }
  struct Place {
    double at;
    bool known;
  };
  static Place place(std::uint32_t const* words, Slot slot, double cell) {
    constexpr double beyond = 1U << place_bits;
    double const bounded = cell < beyond ? cell : beyond;  // also for NaN
    auto const code = static_cast<Code>(bounded > 0.0 ? bounded : 0.0);
    std::uint32_t const word = words[slot.begin + (code & ((1U << slot.size_log2) - 1))];
    return {static_cast<double>(word & ((1U << place_bits) - 1)), word >> place_bits == code};
  }

 private:
  std::optional<Slot> add(std::uint32_t size_log2, std::uint32_t word) {
    std::size_t const size = std::size_t{1} << size_log2;
    if (words_.size() + size > room_) return std::nullopt;
    Slot const slot{static_cast<std::uint32_t>(words_.size()), size_log2};
    words_.resize(words_.size() + size, word);
    return slot;
  }

  // How many of the lowest bits tell the codes from each other.
  std::uint32_t bits_that_differ(std::span<Code const> codes) {
    auto bits = static_cast<std::uint32_t>(std::bit_width(codes.size() - 1));
    auto const enough = static_cast<std::uint32_t>(std::bit_width(*std::max_element(codes.begin(), codes.end())));
    for (; bits < enough; ++bits) {
      std::uint32_t const mask = (1U << bits) - 1;
      taken_.assign(std::size_t{1} << bits, false);
      bool const differ = std::none_of(codes.begin(), codes.end(), [&](Code code) {
        bool const before = taken_[code & mask];
        taken_[code & mask] = true;
        return before;
      });
      if (differ) break;
    }
    return bits;
  }

  std::vector<std::uint32_t> words_;
  std::size_t room_;
  std::vector<bool> taken_;
};

}  // namespace rarewood
