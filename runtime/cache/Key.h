// Builds a cache key: one digest of everything that an entry depends on. Each part is preceded by its length, so
// different lists of parts have different digests. Structs are added through their fields().
#pragma once
#include "base/support/Sha256.h"
#include "base/support/Wire.h"
#include <string_view>

namespace kiln {

using CacheKey = Sha256::Digest;

class KeyBuilder {
public:
  KeyBuilder &add(std::string_view part) { return add(part.data(), part.size()); }
  KeyBuilder &add(const wire::Bytes &part) { return add(part.data(), part.size()); }
  template <wire::Record T> KeyBuilder &add(const T &record) { return add(wire::pack(record)); }
  CacheKey finish() { return hash_.finish(); }

private:
  KeyBuilder &add(const void *data, uint64_t size) {
    hash_.update(&size, sizeof size);
    hash_.update(data, size);
    return *this;
  }
  Sha256 hash_;
};

} // namespace kiln
