// Counter-based random numbers: the i-th number of a stream is a hash of (key, i), so a stream is named by its key alone. Keys branch: what
// is random about a part of something (a child of a node, a column of it) has a key derived from the whole's, and no order in which the
// parts are worked off shows in the result. The hash is the finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom
// number generators, OOPSLA 2014).
#pragma once

#include <cstdint>

namespace rarewood {

// The name of a random stream.
class Key {
 public:
  // Stream number `stream` of the family `seed`.
  constexpr Key(std::uint64_t seed, std::uint64_t stream) : value_(mix(mix(seed + gamma) ^ mix(stream * gamma + 1))) {}

  // Of part `which` of what this key is for.
  constexpr Key branch(std::uint64_t which) const { return Key(mix(value_ ^ mix(which * gamma + 1))); }

  // As a number, and back: what a message carries.
  constexpr std::uint64_t number() const { return value_; }
  static constexpr Key numbered(std::uint64_t number) { return Key(number); }

  friend constexpr bool operator==(Key, Key) = default;

 private:
  friend class Rng;

  constexpr explicit Key(std::uint64_t value) : value_(value) {}

  static constexpr std::uint64_t gamma = 0x9E3779B97F4A7C15ULL;

  static constexpr std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
  }

  std::uint64_t value_;
};

class Rng {
 public:
  explicit Rng(Key key) : key_(key.value_) {}
  Rng(std::uint64_t seed, std::uint64_t stream) : Rng(Key(seed, stream)) {}

  std::uint64_t next() { return Key::mix(key_ + ++counter_ * Key::gamma); }

  // Uniform on [0, 1) with 53 random bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // Uniform on {0, ..., bound - 1}, bound >= 1, without bias (Lemire 2019).
  std::uint32_t below(std::uint32_t bound) {
    std::uint64_t product = (next() >> 32) * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      std::uint32_t const threshold = (0U - bound) % bound;
      while (static_cast<std::uint32_t>(product) < threshold) product = (next() >> 32) * bound;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

}  // namespace rarewood
