// Messages between processes of the same build: plain numbers and lists of them, one after the other. Lengths are checked on the way in.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace rarewood {

class ArchiveWriter {
 public:
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void put(T const& value) {
    bytes_.append(reinterpret_cast<char const*>(&value), sizeof value);
  }
  template <class T>
    requires std::is_trivially_copyable_v<T>
  void put_list(std::vector<T> const& values) {
    put(static_cast<std::uint64_t>(values.size()));
    bytes_.append(reinterpret_cast<char const*>(values.data()), values.size() * sizeof(T));
  }

  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class ArchiveReader {
 public:
  explicit ArchiveReader(std::string_view bytes) : left_(bytes) {}

  bool at_end() const { return left_.empty(); }

  template <class T>
    requires std::is_trivially_copyable_v<T>
  T get() {
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  template <class T>
    requires std::is_trivially_copyable_v<T>
  std::vector<T> get_list() {
    auto const size = get<std::uint64_t>();
    if (size > left_.size() / sizeof(T)) throw std::invalid_argument("a message ends too early");
    std::vector<T> values(size);
    if (size > 0) std::memcpy(values.data(), take(size * sizeof(T)), size * sizeof(T));
    return values;
  }

 private:
  char const* take(std::size_t n) {
    if (n > left_.size()) throw std::invalid_argument("a message ends too early");
    char const* const begin = left_.data();
    left_.remove_prefix(n);
    return begin;
  }

  std::string_view left_;
};

}  // namespace rarewood
