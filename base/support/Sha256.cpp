#include "base/support/Sha256.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace kiln {
namespace {

constexpr uint32_t Constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t bigEndian(const uint8_t *bytes) {
  return uint32_t(bytes[0]) << 24 | uint32_t(bytes[1]) << 16 | uint32_t(bytes[2]) << 8 | bytes[3];
}

} // namespace

void Sha256::block(const uint8_t *data) {
  uint32_t words[64];
  for (int i = 0; i < 16; ++i)
    words[i] = bigEndian(data + 4 * i);
  for (int i = 16; i < 64; ++i) {
    uint32_t x = words[i - 15], y = words[i - 2];
    uint32_t s0 = std::rotr(x, 7) ^ std::rotr(x, 18) ^ (x >> 3);
    uint32_t s1 = std::rotr(y, 17) ^ std::rotr(y, 19) ^ (y >> 10);
    words[i] = words[i - 16] + s0 + words[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (int i = 0; i < 64; ++i) {
    uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + Constants[i] + words[i];
    uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1, d = c, c = b, b = a, a = t1 + t2;
  }
  const uint32_t sums[8] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i)
    state_[i] += sums[i];
}

void Sha256::update(const void *data, size_t size) {
  auto *next = static_cast<const uint8_t *>(data);
  size_t had = size_ % pending_.size();
  size_ += size;
  if (had) {
    size_t taken = std::min(size, pending_.size() - had);
    std::memcpy(pending_.data() + had, next, taken);
    next += taken, size -= taken;
    if (had + taken < pending_.size())
      return;
    block(pending_.data());
  }
  for (; size >= pending_.size(); next += pending_.size(), size -= pending_.size())
    block(next);
  if (size)
    std::memcpy(pending_.data(), next, size);
}

Sha256::Digest Sha256::finish() {
  uint64_t bits = size_ * 8;
  const uint8_t one = 0x80, zero = 0;
  update(&one, 1);
  while (size_ % 64 != 56)
    update(&zero, 1);
  uint8_t length[8];
  for (int i = 0; i < 8; ++i)
    length[i] = static_cast<uint8_t>(bits >> (56 - 8 * i));
  update(length, sizeof length);
  Digest digest;
  for (int i = 0; i < 32; ++i)
    digest[i] = static_cast<uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

Sha256::Digest Sha256::of(const void *data, size_t size) {
  Sha256 hash;
  hash.update(data, size);
  return hash.finish();
}

Hmac::Hmac(std::span<const uint8_t> key) {
  std::array<uint8_t, 64> block{};
  if (key.size() > block.size()) {
    Sha256::Digest digest = Sha256::of(key.data(), key.size());
    std::copy(digest.begin(), digest.end(), block.begin());
  } else {
    std::copy(key.begin(), key.end(), block.begin());
  }
  for (uint8_t &byte : block)
    byte ^= 0x36;
  inner_.update(block.data(), block.size());
  for (uint8_t &byte : block)
    byte ^= 0x36 ^ 0x5c;
  outer_.update(block.data(), block.size());
}

Sha256::Digest Hmac::finish() {
  Sha256::Digest digest = inner_.finish();
  outer_.update(digest.data(), digest.size());
  return outer_.finish();
}

bool equalConstantTime(const Sha256::Digest &a, const Sha256::Digest &b) {
  volatile uint8_t differences = 0;
  for (size_t i = 0; i < a.size(); ++i)
    differences = differences | (a[i] ^ b[i]);
  return differences == 0;
}

std::string hexadecimal(const Sha256::Digest &digest) {
  std::string text;
  for (uint8_t byte : digest)
    text += "0123456789abcdef"[byte >> 4], text += "0123456789abcdef"[byte & 15];
  return text;
}

} // namespace kiln
