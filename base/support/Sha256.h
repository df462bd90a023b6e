// SHA-256 (FIPS 180-4), for cache keys, checksums, and HMACs of code in program binaries.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace kiln {

class Sha256 {
public:
  using Digest = std::array<uint8_t, 32>;

  void update(const void *data, size_t size);
  /// Returns the digest of all updates. The object must not be used afterwards.
  Digest finish();

  static Digest of(const void *data, size_t size);

private:
  void block(const uint8_t *data);
  std::array<uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> pending_{};
  uint64_t size_ = 0;
};

/// HMAC-SHA256 (RFC 2104).
class Hmac {
public:
  explicit Hmac(std::span<const uint8_t> key);
  void update(const void *data, size_t size) { inner_.update(data, size); }
  /// Returns the digest of all updates. The object must not be used afterwards.
  Sha256::Digest finish();

private:
  Sha256 inner_, outer_;
};

/// Compares in constant time.
bool equalConstantTime(const Sha256::Digest &a, const Sha256::Digest &b);

/// Lower-case hexadecimal.
std::string hexadecimal(const Sha256::Digest &digest);

} // namespace kiln
