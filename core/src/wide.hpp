// A function marked RAREWOOD_WIDE is compiled twice, for any x86-64 machine and for one with 256-bit vectors, and the loader picks. Only
// for leaf functions whose loops the compiler vectorises; both versions give the same bits (contraction of a * b + c is off).
#pragma once

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define RAREWOOD_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define RAREWOOD_WIDE
#endif
