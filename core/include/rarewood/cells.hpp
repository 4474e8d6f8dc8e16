// The cells of a column: made here, or looked at where somebody else keeps them for as long as they are read.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace rarewood {

template <class T>
class Cells {
 public:
  Cells() = default;
  explicit Cells(std::span<T const> kept_elsewhere) : seen_(kept_elsewhere) {}
  Cells(Cells&& other) noexcept : made_(std::move(other.made_)), seen_(std::exchange(other.seen_, {})) {}
  Cells& operator=(Cells&& other) noexcept {
    made_ = std::move(other.made_);
    seen_ = std::exchange(other.seen_, {});
    return *this;
  }

  bool empty() const { return seen_.empty(); }
  std::size_t size() const { return seen_.size(); }
  T const* data() const { return seen_.data(); }
  T const* begin() const { return seen_.data(); }
  T const* end() const { return seen_.data() + seen_.size(); }
  T operator[](std::size_t i) const { return seen_[i]; }

  void make(std::size_t n) {
    made_.resize(n);
    seen_ = made_;
  }
  // Those made here.
  std::span<T> writable() { return made_; }

 private:
  std::vector<T> made_;
  std::span<T const> seen_;
};

}  // namespace rarewood
