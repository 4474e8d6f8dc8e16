// Least-significant-digit radix sort of records by an unsigned integer key, 11 bits a pass. Stable; passes whose digit is the same in
// every record are skipped; short inputs go to std::sort (so equal keys must be interchangeable or told apart by the key).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace rarewood {

inline constexpr std::size_t radix_sort_from = 600;  // below, comparison sorting is faster (measured)

// Sorts records[0, n) by the bits [first_bit, last_bit) of key(record); `spare` has room for n records.
// Returns where the sorted records are: `records` or `spare`.
template <class Record, class Key>
Record* radix_sort(Record* records, Record* spare, std::size_t n, int first_bit, int last_bit, Key key) {
  constexpr int digit_bits = 11;
  constexpr std::size_t n_digits = std::size_t{1} << digit_bits;
  if (n < radix_sort_from) {
    std::sort(records, records + n, [&](Record const& a, Record const& b) { return key(a) < key(b); });
    return records;
  }
  for (int shift = first_bit; shift < last_bit; shift += digit_bits) {
    std::array<std::uint32_t, n_digits> next{};
    for (std::size_t i = 0; i < n; ++i) ++next[(key(records[i]) >> shift) & (n_digits - 1)];
    if (next[(key(records[0]) >> shift) & (n_digits - 1)] == n) continue;
    std::uint32_t begin = 0;
    for (std::uint32_t& count : next) begin += std::exchange(count, begin);
    for (std::size_t i = 0; i < n; ++i) spare[next[(key(records[i]) >> shift) & (n_digits - 1)]++] = records[i];
    std::swap(records, spare);
  }
  return records;
}

}  // namespace rarewood
