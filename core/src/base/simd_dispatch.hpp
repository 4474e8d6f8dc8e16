// RAREWOOD_SIMD(result, name, (parameters), (arguments)) { body } defines a function that is compiled twice, for any x86-64 machine and for one
// with 256-bit vectors; which of the two runs is decided at the call. Only for leaf functions whose loops the compiler vectorises; both
// versions give the same bits (contraction of a * b + c is off), which tests show by `allow_vectors`.
#pragma once

#include <atomic>

#include "rarewood/vectors.hpp"

namespace rarewood::detail {

// The machine has 256-bit vectors, and no test has forbidden them.
extern std::atomic<bool> vectors_are_used;

}  // namespace rarewood::detail

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define RAREWOOD_SIMD(result, name, parameters, arguments)                                               \
  [[gnu::always_inline]] static inline result name##_in_any_width parameters;                            \
  [[gnu::target("avx2")]] static result name##_avx2 parameters { return name##_in_any_width arguments; } \
  static result name##_plain parameters { return name##_in_any_width arguments; }                        \
  result name parameters {                                                                               \
    bool const avx2 = rarewood::detail::vectors_are_used.load(std::memory_order_relaxed);                \
    return avx2 ? name##_avx2 arguments : name##_plain arguments;                                        \
  }                                                                                                      \
  static inline result name##_in_any_width parameters
#else
#define RAREWOOD_SIMD(result, name, parameters, arguments) result name parameters
#endif
