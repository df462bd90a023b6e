// Compiled with -march=native; includes no C++ library header, see Images.cpp.
//
// A hash or a block is one chain of dependent operations, but messages and blocks are independent. So `omp simd`
// computes several of them at once, one per vector element.
#include "bench/suite/native/Ciphers.h"

namespace bench::native {
namespace {

constexpr uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
constexpr uint32_t Start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

uint32_t left(uint32_t word, int bits) { return word << bits | word >> (32 - bits); }

void quarter(uint32_t &a, uint32_t &b, uint32_t &c, uint32_t &d) {
  a += b, d = left(d ^ a, 16);
  c += d, b = left(b ^ c, 12);
  a += b, d = left(d ^ a, 8);
  c += d, b = left(b ^ c, 7);
}
} // namespace

void sha256(const uint32_t *messages, uint32_t *digests, size_t blocks, Range range) {
  for (size_t message = range.first; message < range.end; ++message)
    for (size_t word = 0; word < 8; ++word)
      digests[message * 8 + word] = Start[word];
  for (size_t block = 0; block < blocks; ++block)
#pragma omp simd
    for (size_t message = range.first; message < range.end; ++message) {
      const uint32_t *from = messages + (message * blocks + block) * 16;
      uint32_t *hash = digests + message * 8;
      uint32_t w[16];
#pragma clang loop unroll(full)
      for (int t = 0; t < 16; ++t)
        w[t] = from[t];
      uint32_t a = hash[0], b = hash[1], c = hash[2], d = hash[3], e = hash[4], f = hash[5], g = hash[6], h = hash[7];
#pragma clang loop unroll(full)
      for (int t = 0; t < 64; ++t) {
        if (t >= 16) {
          uint32_t early = w[(t + 1) & 15], late = w[(t + 14) & 15];
          w[t & 15] += (left(early, 25) ^ left(early, 14) ^ early >> 3) + w[(t + 9) & 15] +
                       (left(late, 15) ^ left(late, 13) ^ late >> 10);
        }
        uint32_t one = h + (left(e, 26) ^ left(e, 21) ^ left(e, 7)) + (g ^ (e & (f ^ g))) + K[t] + w[t & 15];
        uint32_t two = (left(a, 30) ^ left(a, 19) ^ left(a, 10)) + ((a & b) | (c & (a | b)));
        h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
      }
      hash[0] += a, hash[1] += b, hash[2] += c, hash[3] += d, hash[4] += e, hash[5] += f, hash[6] += g, hash[7] += h;
    }
}

void chacha20(const uint32_t *from, uint32_t *to, const uint32_t *key, const uint32_t *nonce, Range range) {
  const uint32_t start[16] = {0x61707865,  0x3320646e, 0x79622d32, 0x6b206574, key[0], key[1],
                              key[2],      key[3],     key[4],     key[5],     key[6], key[7],
                              /*block*/ 0, nonce[0],   nonce[1],   nonce[2]};
#pragma omp simd
  for (size_t block = range.first; block < range.end; ++block) {
    uint32_t x[16];
#pragma clang loop unroll(full)
    for (int i = 0; i < 16; ++i)
      x[i] = start[i];
    x[12] = uint32_t(block);
#pragma clang loop unroll(full)
    for (int round = 0; round < 10; ++round) {
      quarter(x[0], x[4], x[8], x[12]);
      quarter(x[1], x[5], x[9], x[13]);
      quarter(x[2], x[6], x[10], x[14]);
      quarter(x[3], x[7], x[11], x[15]);
      quarter(x[0], x[5], x[10], x[15]);
      quarter(x[1], x[6], x[11], x[12]);
      quarter(x[2], x[7], x[8], x[13]);
      quarter(x[3], x[4], x[9], x[14]);
    }
    x[12] += uint32_t(block);
#pragma clang loop unroll(full)
    for (int i = 0; i < 16; ++i)
      to[block * 16 + i] = from[block * 16 + i] ^ (x[i] + start[i]);
  }
}

} // namespace bench::native
