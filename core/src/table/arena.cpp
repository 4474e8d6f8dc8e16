#include "rarewood/arena.hpp"

#include <algorithm>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace rarewood {

namespace {

constexpr std::size_t line = 64;                 // bytes: no two arrays share one
constexpr std::size_t page = 1U << 21;           // a huge one of x86-64 and of most other machines
constexpr std::size_t largest_block = 4 * page;  // unless one array needs more: the rest of the last block is never touched

std::size_t rounded_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

void Arena::Free::operator()(std::byte* block) const { ::operator delete(block, std::align_val_t{alignment}); }

void* Arena::take_bytes(std::size_t bytes) {
  bytes = rounded_up(bytes, line);
  std::lock_guard const lock(guard_);
  if (bytes > left_) add_block(bytes);
  std::byte* const taken = next_;
  next_ += bytes;
  left_ -= bytes;
  return taken;
}

void Arena::add_block(std::size_t least) {
  std::size_t bytes = std::max(least, std::min(expected_, largest_block));
  bool const is_large = bytes >= page / 4;  // less is not worth a page
  std::size_t const alignment = is_large ? page : line;
  bytes = rounded_up(bytes, alignment);
  blocks_.reserve(blocks_.size() + 1);
  blocks_.emplace_back(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{alignment})), Free{alignment});
#if defined(__linux__)
  if (is_large) madvise(blocks_.back().get(), bytes, MADV_HUGEPAGE);  // a wish: ordinary pages serve as well
#endif
  next_ = blocks_.back().get();
  left_ = bytes;
}

}  // namespace rarewood
