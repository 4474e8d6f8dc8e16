#include "rarewood/vectors.hpp"

#include "base/simd_dispatch.hpp"

namespace rarewood {

namespace {

bool machine_has_vectors() {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();  // other objects may be initialised later
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

}  // namespace

std::atomic<bool> detail::vectors_are_used{machine_has_vectors()};

bool allow_vectors(bool wanted) {
  bool const used = wanted && machine_has_vectors();
  detail::vectors_are_used.store(used, std::memory_order_relaxed);
  return used;
}

}  // namespace rarewood
