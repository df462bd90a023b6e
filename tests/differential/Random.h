// The random numbers of the generators.
#pragma once
#include <cstdint>
#include <iterator>

namespace kiln::differential {

/// A random sequence that depends only on the seed.
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  unsigned below(uint64_t limit) { return static_cast<unsigned>(next() % limit); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename List> const auto &among(const List &list) { return list[below(std::size(list))]; }

  /// Returns one of the arguments.
  template <typename First, typename... Rest> First of(First first, Rest... rest) {
    const First all[] = {first, First(rest)...};
    return all[below(sizeof...(rest) + 1)];
  }

private:
  uint64_t state_;
};

} // namespace kiln::differential
