#include "table/rank_coding.hpp"

#include <bit>

#include "base/radix_sort.hpp"

namespace rarewood {

namespace {

// Integers that order as the numbers do: negative numbers reversed, positive ones above them. -0.0 counts as 0.0.
std::uint32_t ordered_bits(float value) {
  std::uint32_t const bits = std::bit_cast<std::uint32_t>(value + 0.0F);
  return bits ^ ((bits >> 31) != 0 ? 0xFFFFFFFFU : 0x80000000U);
}

std::uint64_t ordered_bits(double value) {
  std::uint64_t const bits = std::bit_cast<std::uint64_t>(value + 0.0);
  return bits ^ ((bits >> 63) != 0 ? ~0ULL : 1ULL << 63);
}

// Passes over sorted records and gives equal keys equal, ascending ranks.
template <class Record, class Key, class Place>
void assign_ranks(Record const* sorted, std::size_t n, Key key, Place place, std::span<Code> codes) {
  Code rank = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (i > 0 && key(sorted[i]) != key(sorted[i - 1])) ++rank;
    codes[place(sorted[i])] = rank;
  }
}

}  // namespace

RankCoder::RankCoder(std::size_t rows) : narrow_(rows), narrow_spare_(rows) {}

bool RankCoder::code(MatrixView const& input, std::size_t column, std::span<Position const> order, std::span<Code> codes) {
  if (load_narrow(input, column, order, codes)) {
    auto const whole = [](std::uint64_t record) { return record; };  // positions are in the low bits: ties keep their order
    std::uint64_t const* sorted = radix_sort(narrow_.data(), narrow_spare_.data(), present_, 32, 64, whole);
    assign_ranks(
        sorted, present_, [](std::uint64_t r) { return r >> 32; }, [](std::uint64_t r) { return static_cast<Position>(r); }, codes);
  } else {
    load_wide(input, column, order, codes);
    auto const key = [](Wide const& record) { return record.key; };
    Wide const* sorted = radix_sort(wide_.data(), wide_spare_.data(), present_, 0, 64, key);
    assign_ranks(sorted, present_, key, [](Wide const& record) { return record.position; }, codes);
  }
  return present_ < order.size();
}

// False as soon as a value is met that float32 cannot hold.
bool RankCoder::load_narrow(MatrixView const& input, std::size_t column, std::span<Position const> order, std::span<Code> codes) {
  present_ = 0;
  for (std::size_t p = 0; p < order.size(); ++p) {
    float value;
    if (input.is_double) {
      double const exact = input.get<double>(order[p], column);
      value = static_cast<float>(exact);
      if (exact == exact && static_cast<double>(value) != exact) return false;
    } else {
      value = input.get<float>(order[p], column);
    }
    if (value != value) {
      codes[p] = missing_code;
    } else {
      narrow_[present_++] = static_cast<std::uint64_t>(ordered_bits(value)) << 32 | p;
    }
  }
  return true;
}

void RankCoder::load_wide(MatrixView const& input, std::size_t column, std::span<Position const> order, std::span<Code> codes) {
  wide_.resize(order.size());
  wide_spare_.resize(order.size());
  present_ = 0;
  for (std::size_t p = 0; p < order.size(); ++p) {
    double const value = input.at(order[p], column);
    if (value != value) {
      codes[p] = missing_code;
    } else {
      wide_[present_++] = {ordered_bits(value), static_cast<Position>(p)};
    }
  }
}

}  // namespace rarewood
