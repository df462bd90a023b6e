// Compiled for the building machine's own processor; includes nothing of the C++ library, see Images.cpp.
//
// A hash or a block is one chain of operations, but neighbours do not depend on each other. So eight are mixed
// together, step by step, in arrays that stay in registers.
#include "bench/native/Ciphers.h"

namespace bench::native {
namespace {

constexpr size_t Together = 8;
struct Words {
  uint32_t lane[Together];
};

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

void quarter(Words &a, Words &b, Words &c, Words &d) {
#pragma omp simd
  for (size_t i = 0; i < Together; ++i) {
    uint32_t p = a.lane[i], q = b.lane[i], r = c.lane[i], s = d.lane[i];
    p += q, s = left(s ^ p, 16);
    r += s, q = left(q ^ r, 12);
    p += q, s = left(s ^ p, 8);
    r += s, q = left(q ^ r, 7);
    a.lane[i] = p, b.lane[i] = q, c.lane[i] = r, d.lane[i] = s;
  }
}
} // namespace

void sha256(const uint32_t *messages, uint32_t *digests, size_t blocks, Range range) {
  for (size_t first = range.first; first < range.end; first += Together) {
    Words hash[8], w[64];
    for (int word = 0; word < 8; ++word)
      for (size_t i = 0; i < Together; ++i)
        hash[word].lane[i] = Start[word];
    for (size_t block = 0; block < blocks; ++block) {
      for (int t = 0; t < 16; ++t)
        for (size_t i = 0; i < Together; ++i)
          w[t].lane[i] = messages[((first + i) * blocks + block) * 16 + size_t(t)];
      for (int t = 16; t < 64; ++t)
#pragma omp simd
        for (size_t i = 0; i < Together; ++i) {
          uint32_t early = w[t - 15].lane[i], late = w[t - 2].lane[i];
          w[t].lane[i] = w[t - 16].lane[i] + (left(early, 25) ^ left(early, 14) ^ early >> 3) + w[t - 7].lane[i] +
                         (left(late, 15) ^ left(late, 13) ^ late >> 10);
        }
      Words s[8];
      for (int word = 0; word < 8; ++word)
        s[word] = hash[word];
      for (int t = 0; t < 64; ++t) {
        // Instead of words that move by one a round, places that do.
        Words &a = s[(64 - t) & 7], &b = s[(65 - t) & 7], &c = s[(66 - t) & 7], &d = s[(67 - t) & 7];
        Words &e = s[(68 - t) & 7], &f = s[(69 - t) & 7], &g = s[(70 - t) & 7], &h = s[(71 - t) & 7];
#pragma omp simd
        for (size_t i = 0; i < Together; ++i) {
          uint32_t x = e.lane[i], y = a.lane[i];
          uint32_t one = h.lane[i] + (left(x, 26) ^ left(x, 21) ^ left(x, 7)) +
                         (g.lane[i] ^ (x & (f.lane[i] ^ g.lane[i]))) + K[t] + w[t].lane[i];
          uint32_t two = (left(y, 30) ^ left(y, 19) ^ left(y, 10)) + ((y & b.lane[i]) | (c.lane[i] & (y | b.lane[i])));
          d.lane[i] += one;
          h.lane[i] = one + two;
        }
      }
      for (int word = 0; word < 8; ++word)
        for (size_t i = 0; i < Together; ++i)
          hash[word].lane[i] += s[word].lane[i];
    }
    for (size_t i = 0; i < Together; ++i)
      for (size_t word = 0; word < 8; ++word)
        digests[(first + i) * 8 + word] = hash[word].lane[i];
  }
}

void chacha20(const uint32_t *from, uint32_t *to, const uint32_t *key, const uint32_t *nonce, Range range) {
  const uint32_t constants[4] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
  for (size_t first = range.first; first < range.end; first += Together) {
    Words start[16], x[16];
    for (size_t word = 0; word < 16; ++word)
      for (size_t i = 0; i < Together; ++i)
        start[word].lane[i] = word < 4     ? constants[word]
                              : word < 12  ? key[word - 4]
                              : word == 12 ? uint32_t(first + i)
                                           : nonce[word - 13];
    for (size_t word = 0; word < 16; ++word)
      x[word] = start[word];
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
    size_t blocks = range.end - first < Together ? range.end - first : Together;
    for (size_t i = 0; i < blocks; ++i)
      for (size_t word = 0; word < 16; ++word)
        to[(first + i) * 16 + word] = from[(first + i) * 16 + word] ^ (x[word].lane[i] + start[word].lane[i]);
  }
}

} // namespace bench::native
