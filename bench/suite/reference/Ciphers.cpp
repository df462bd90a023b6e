#include "bench/suite/reference/Ciphers.h"
#include <bit>
#include <cmath>

namespace bench {

namespace {
/// The first `Count` constants of SHA-256: 32 fraction bits of the roots of the first primes.
template <size_t Count, typename Root> std::array<uint32_t, Count> rootsOfPrimes(const Root &root) {
  std::array<uint32_t, Count> words;
  size_t found = 0;
  for (unsigned number = 2; found < Count; ++number) {
    bool prime = true;
    for (unsigned divisor = 2; divisor * divisor <= number; ++divisor)
      prime &= number % divisor != 0;
    if (prime) {
      long double value = root((long double)number);
      words[found++] = uint32_t((value - std::floor(value)) * 4294967296.0L);
    }
  }
  return words;
}
} // namespace

std::vector<uint32_t> padded(std::string_view message) {
  std::vector<uint32_t> words((message.size() + 8) / 64 * 16 + 16, 0);
  for (size_t i = 0; i < message.size(); ++i)
    words[i / 4] |= uint32_t(uint8_t(message[i])) << (24 - i % 4 * 8);
  words[message.size() / 4] |= 0x80u << (24 - message.size() % 4 * 8);
  words.back() = uint32_t(message.size() * 8);
  return words;
}

std::array<uint32_t, 8> sha256(const uint32_t *words, size_t blocks) {
  static const auto k = rootsOfPrimes<64>([](long double value) { return std::cbrt(value); });
  std::array<uint32_t, 8> hash = rootsOfPrimes<8>([](long double value) { return std::sqrt(value); });
  for (size_t block = 0; block < blocks; ++block) {
    std::array<uint32_t, 64> w;
    for (size_t t = 0; t < 64; ++t)
      w[t] = t < 16 ? words[block * 16 + t]
                    : (std::rotr(w[t - 2], 17) ^ std::rotr(w[t - 2], 19) ^ w[t - 2] >> 10) + w[t - 7] +
                          (std::rotr(w[t - 15], 7) ^ std::rotr(w[t - 15], 18) ^ w[t - 15] >> 3) + w[t - 16];
    auto [a, b, c, d, e, f, g, h] = hash;
    for (size_t t = 0; t < 64; ++t) {
      uint32_t one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + k[t] + w[t];
      uint32_t two = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
    }
    const std::array<uint32_t, 8> mixed = {a, b, c, d, e, f, g, h};
    for (size_t i = 0; i < 8; ++i)
      hash[i] += mixed[i];
  }
  return hash;
}

std::array<uint32_t, 16> chacha20(const std::vector<uint32_t> &key, const std::vector<uint32_t> &nonce,
                                  uint32_t block) {
  std::array<uint32_t, 16> start{}, x;
  for (size_t i = 0; i < 16; ++i) // "expand 32-byte k", the key, the block index, the nonce
    start[i] = i < 4 ? 0 : i < 12 ? key[i - 4] : i == 12 ? block : nonce[i - 13];
  for (size_t i = 0; i < 16; ++i)
    start[i / 4] |= uint32_t("expand 32-byte k"[i]) << i % 4 * 8;
  x = start;
  auto quarter = [&](size_t a, size_t b, size_t c, size_t d) {
    x[a] += x[b], x[d] = std::rotl(x[d] ^ x[a], 16);
    x[c] += x[d], x[b] = std::rotl(x[b] ^ x[c], 12);
    x[a] += x[b], x[d] = std::rotl(x[d] ^ x[a], 8);
    x[c] += x[d], x[b] = std::rotl(x[b] ^ x[c], 7);
  };
  for (int round = 0; round < 10; ++round) {
    for (size_t i = 0; i < 4; ++i)
      quarter(i, 4 + i, 8 + i, 12 + i);
    for (size_t i = 0; i < 4; ++i)
      quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
  }
  for (size_t i = 0; i < 16; ++i)
    x[i] += start[i];
  return x;
}

} // namespace bench
