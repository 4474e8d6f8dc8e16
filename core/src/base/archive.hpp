// Messages between processes of the same build: numbers and lists of them, one after the other, small ones in few bytes. Lengths are
// checked on the way in.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace rarewood {

// Written seven bits at a time, as most are small.
template <class T>
concept Whole = std::is_unsigned_v<T> && (sizeof(T) > 1) && !std::is_same_v<T, bool>;

class ArchiveWriter {
 public:
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void put(T const& value) {
    if constexpr (Whole<T>) {
      put_whole(value);
    } else {
      bytes_.append(reinterpret_cast<char const*>(&value), sizeof value);
    }
  }
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void put_list(std::vector<T> const& values) {
    put_whole(values.size());
    bytes_.append(reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T));
  }
  // Numbers that are nearly always whole, and mostly small.
  void put_counts(std::vector<double> const& counts) {
    bool const whole = std::all_of(counts.begin(), counts.end(), [](double count) {
      return count >= 0.0 && count < 9007199254740992.0 && count == std::floor(count) && !std::signbit(count);
    });
    put(static_cast<std::uint8_t>(whole));
    if (!whole) return put_list(counts);
    put_whole(counts.size());
    for (double count : counts) put_whole(static_cast<std::uint64_t>(count));
  }

  std::string take() { return std::move(bytes_); }

 private:
  void put_whole(std::uint64_t value) {
    for (; value >= 128; value >>= 7) bytes_.push_back(static_cast<char>(value | 128));
    bytes_.push_back(static_cast<char>(value));
  }

  std::string bytes_;
};

class ArchiveReader {
 public:
  explicit ArchiveReader(std::string_view bytes) : left_(bytes) {}

  bool at_end() const { return left_.empty(); }

  template <class T>
    requires std::is_trivially_copyable_v<T>
  T get() {
    if constexpr (Whole<T>) {
      std::uint64_t const value = get_whole();
      if (value > std::numeric_limits<T>::max()) throw std::invalid_argument("a message holds a number that is too large");
      return static_cast<T>(value);
    } else if constexpr (std::is_same_v<T, bool>) {
      auto const value = static_cast<std::uint8_t>(*take(1));
      if (value > 1) throw std::invalid_argument("a message holds a number that is too large");
      return value == 1;
    } else {
      T value;
      std::memcpy(&value, take(sizeof value), sizeof value);
      return value;
    }
  }
  template <class T>
    requires std::is_trivially_copyable_v<T>
  std::vector<T> get_list() {
    std::uint64_t const size = get_whole();
    if (size > left_.size() / sizeof(T)) throw std::invalid_argument("a message ends too early");
    std::vector<T> values(size);
    if (size > 0) std::memcpy(values.data(), take(size * sizeof(T)), size * sizeof(T));
    return values;
  }
  std::vector<double> get_counts() {
    if (get<std::uint8_t>() == 0) return get_list<double>();
    std::uint64_t const size = get_whole();
    if (size > left_.size()) throw std::invalid_argument("a message ends too early");
    std::vector<double> counts(size);
    for (double& count : counts) count = static_cast<double>(get_whole());
    return counts;
  }

 private:
  std::uint64_t get_whole() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      auto const byte = static_cast<std::uint8_t>(*take(1));
      value |= static_cast<std::uint64_t>(byte & 127U) << shift;
      if (byte < 128) return value;
    }
    throw std::invalid_argument("a message holds a number that is too large");
  }
  char const* take(std::size_t n) {
    if (n > left_.size()) throw std::invalid_argument("a message ends too early");
    char const* const begin = left_.data();
    left_.remove_prefix(n);
    return begin;
  }

  std::string_view left_;
};

}  // namespace rarewood
