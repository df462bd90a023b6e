#include "bench/bundle/Relocation.h"
#include <cstring>
#include <iterator>

namespace bench {
namespace {

constexpr size_t Step = 4;

uint64_t wordAt(const std::string &bytes, size_t at) {
  uint64_t word;
  std::memcpy(&word, bytes.data() + at, sizeof word);
  return word;
}

} // namespace

uint64_t Relocation::moved(uint64_t word) const {
  auto after = moved_.upper_bound(word);
  if (after == moved_.begin())
    return word;
  const auto &[address, moved] = *std::prev(after);
  return word - address <= moved.size ? moved.here + (word - address) : word;
}

size_t Relocation::replace(std::string &bytes) const {
  size_t replaced = 0;
  for (size_t at = 0; at + sizeof(uint64_t) <= bytes.size();) {
    const uint64_t word = wordAt(bytes, at), here = moved(word);
    if (here == word) {
      at += Step;
      continue;
    }
    std::memcpy(bytes.data() + at, &here, sizeof here);
    at += sizeof here;
    ++replaced;
  }
  return replaced;
}

void Relocation::restore(std::string &bytes, const std::string &expected) const {
  for (size_t at = 0; at + sizeof(uint64_t) <= bytes.size(); at += Step) {
    const uint64_t must = wordAt(expected, at);
    if (wordAt(bytes, at) == moved(must))
      std::memcpy(bytes.data() + at, &must, sizeof must);
  }
}

} // namespace bench
