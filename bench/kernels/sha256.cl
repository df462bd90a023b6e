// SHA-256 of many messages of equal length, one message per work-item. Messages are padded blocks of 16 words, in
// SHA-256's byte order (big-endian).
__constant uint K[64] = {
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
    0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u,
    0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
    0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u,
    0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
    0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
    0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
    0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u};

uint choose(uint x, uint y, uint z) { return z ^ (x & (y ^ z)); }
uint majority(uint x, uint y, uint z) { return (x & y) | (z & (x | y)); }

__kernel void sha256(__global const uint *messages, __global uint *digests, uint blocks, uint count) {
  uint message = get_global_id(0);
  if (message >= count)
    return;
  uint hash[8] = {
    0x6a09e667u, 0xbb67ae85u, 0x3c6ef372u, 0xa54ff53au, 0x510e527fu, 0x9b05688cu, 0x1f83d9abu, 0x5be0cd19u};
  for (uint block = 0; block < blocks; ++block) {
    uint w[64];
    for (int i = 0; i < 16; ++i)
      w[i] = messages[(message * blocks + block) * 16 + i];
    for (int i = 16; i < 64; ++i) {
      uint early = w[i - 15], late = w[i - 2];
      w[i] = w[i - 16] + (rotate(early, 25u) ^ rotate(early, 14u) ^ early >> 3) + w[i - 7] +
             (rotate(late, 15u) ^ rotate(late, 13u) ^ late >> 10);
    }
    uint a = hash[0], b = hash[1], c = hash[2], d = hash[3], e = hash[4], f = hash[5], g = hash[6], h = hash[7];
    for (int i = 0; i < 64; ++i) {
      uint first = h + (rotate(e, 26u) ^ rotate(e, 21u) ^ rotate(e, 7u)) + choose(e, f, g) + K[i] + w[i];
      uint second = (rotate(a, 30u) ^ rotate(a, 19u) ^ rotate(a, 10u)) + majority(a, b, c);
      h = g;
      g = f;
      f = e;
      e = d + first;
      d = c;
      c = b;
      b = a;
      a = first + second;
    }
    hash[0] += a;
    hash[1] += b;
    hash[2] += c;
    hash[3] += d;
    hash[4] += e;
    hash[5] += f;
    hash[6] += g;
    hash[7] += h;
  }
  for (int i = 0; i < 8; ++i)
    digests[message * 8 + i] = hash[i];
}
