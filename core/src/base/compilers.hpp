// What compilers spell differently. Everything that only GCC and Clang know stands here, or behind `#if ... __GNUC__` in its file:
// MSVC has to compile the rest (tests/test_compilers.py).
#pragma once

#if defined(__GNUC__)
#define RAREWOOD_INLINED __attribute__((always_inline))  // between the parameters and the body of a lambda
#define RAREWOOD_PREFETCH(address) __builtin_prefetch(address)
#else
#define RAREWOOD_INLINED
#define RAREWOOD_PREFETCH(address) static_cast<void>(address)
#endif
