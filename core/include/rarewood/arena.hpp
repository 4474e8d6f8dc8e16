// Memory for arrays that are read here and there and belong together, as the columns of a table do: they lie side by side, in blocks of
// whole huge pages where the system has them. Cells that are gathered one by one are on another page nearly every time; 4 KB pages of a
// table of some megabytes are more than the processor remembers the addresses of, and looking one up costs more than the cell.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace rarewood {

class Arena {
 public:
  // For about so many bytes; there is room for more.
  explicit Arena(std::size_t expected_bytes) : expected_(expected_bytes) {}

  // As long as the arena lives; not initialised. Several threads may take at once.
  template <class T>
  std::span<T> take(std::size_t n) {
    return {static_cast<T*>(take_bytes(n * sizeof(T))), n};
  }

 private:
  struct Free {
    std::size_t alignment;
    void operator()(std::byte* block) const;
  };

  void* take_bytes(std::size_t bytes);
  void add_block(std::size_t least);

  std::mutex guard_;  // of all below
  std::size_t expected_;
  std::vector<std::unique_ptr<std::byte, Free>> blocks_;
  std::byte* next_ = nullptr;  // what is left of the last block
  std::size_t left_ = 0;
};

}  // namespace rarewood
