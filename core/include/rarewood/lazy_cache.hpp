// A lazily built cache attached to an object. A copy of the object starts with an empty cache, since the copy may be changed; the object
// itself must not change once the cache is filled. Several threads may ask at once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace rarewood {

class LazyCache {
 public:
  struct Thing {
    virtual ~Thing() = default;
    virtual std::size_t bytes() const = 0;
  };

  LazyCache() = default;
  LazyCache(LazyCache const&) noexcept {}
  LazyCache(LazyCache&& other) noexcept : thing_(other.thing_.exchange(nullptr)) {}
  LazyCache& operator=(LazyCache const&) noexcept {
    delete thing_.exchange(nullptr);
    n_rows_ = 0;
    return *this;
  }
  LazyCache& operator=(LazyCache&& other) noexcept {
    if (this != &other) delete thing_.exchange(other.thing_.exchange(nullptr));
    return *this;
  }
  ~LazyCache() { delete thing_.load(); }

  Thing const* get() const { return thing_.load(std::memory_order_acquire); }

  // The thing; `make` gives a std::unique_ptr to it. Two threads may both make it: the first to finish is kept.
  template <class Make>
  Thing const* get_or_make(Make make) const {
    if (Thing const* const there = get()) return there;
    std::unique_ptr<Thing const> made = make();
    Thing const* kept = nullptr;
    return thing_.compare_exchange_strong(kept, made.get(), std::memory_order_acq_rel) ? made.release() : kept;
  }

  // How many rows have asked, these among them.
  std::size_t count_rows(std::size_t n) const { return n_rows_.fetch_add(n, std::memory_order_relaxed) + n; }

  std::size_t bytes() const {
    Thing const* const there = get();
    return there == nullptr ? 0 : there->bytes();
  }

 private:
  mutable std::atomic<Thing const*> thing_{nullptr};
  mutable std::atomic<std::size_t> n_rows_{0};
};

}  // namespace rarewood
