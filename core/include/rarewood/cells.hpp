// The cells of a column: made here, in an arena, or looked at where somebody else keeps them for as long as they are read.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "rarewood/arena.hpp"

namespace rarewood {

template <class T>
class Cells {
 public:
  Cells() = default;
  explicit Cells(std::span<T const> kept_elsewhere) : seen_(kept_elsewhere) {}
  Cells(Cells&& other) noexcept
      : arena_(std::move(other.arena_)), made_(std::exchange(other.made_, {})), seen_(std::exchange(other.seen_, {})) {}
  Cells& operator=(Cells&& other) noexcept {
    arena_ = std::move(other.arena_);
    made_ = std::exchange(other.made_, {});
    seen_ = std::exchange(other.seen_, {});
    return *this;
  }

  bool empty() const { return seen_.empty(); }
  std::size_t size() const { return seen_.size(); }
  T const* data() const { return seen_.data(); }
  T const* begin() const { return seen_.data(); }
  T const* end() const { return seen_.data() + seen_.size(); }
  T operator[](std::size_t i) const { return seen_[i]; }

  // n cells, all of them to be written before they are read. Those that share an arena are given up together.
  void make(std::size_t n, std::shared_ptr<Arena> arena) {
    arena_ = std::move(arena);
    made_ = arena_->take<T>(n);
    seen_ = made_;
  }
  void make_alone(std::size_t n) { make(n, std::make_shared<Arena>(n * sizeof(T))); }
  // Those made here.
  std::span<T> writable() { return made_; }

 private:
  std::shared_ptr<Arena> arena_;
  std::span<T> made_;
  std::span<T const> seen_;
};

}  // namespace rarewood
