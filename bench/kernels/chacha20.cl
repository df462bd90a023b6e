// XORs a text with ChaCha20's key stream (RFC 8439), one block of 16 words per work-item; block indices start at 0.
#define QUARTER(a, b, c, d)                                                                                            \
  a += b, d = rotate(d ^ a, 16u), c += d, b = rotate(b ^ c, 12u);                                                      \
  a += b, d = rotate(d ^ a, 8u), c += d, b = rotate(b ^ c, 7u)

__kernel void chacha20(__global const uint *from, __global uint *to, __constant uint *key, __constant uint *nonce,
                       uint blocks) {
  uint block = get_global_id(0);
  if (block >= blocks)
    return;
  uint start[16] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u, key[0], key[1], key[2], key[3],
                    key[4], key[5], key[6], key[7], block, nonce[0], nonce[1], nonce[2]};
  uint x[16];
  for (int i = 0; i < 16; ++i)
    x[i] = start[i];
  for (int round = 0; round < 10; ++round) {
    QUARTER(x[0], x[4], x[8], x[12]);
    QUARTER(x[1], x[5], x[9], x[13]);
    QUARTER(x[2], x[6], x[10], x[14]);
    QUARTER(x[3], x[7], x[11], x[15]);
    QUARTER(x[0], x[5], x[10], x[15]);
    QUARTER(x[1], x[6], x[11], x[12]);
    QUARTER(x[2], x[7], x[8], x[13]);
    QUARTER(x[3], x[4], x[9], x[14]);
  }
  for (int i = 0; i < 16; ++i)
    to[block * 16 + i] = from[block * 16 + i] ^ (x[i] + start[i]);
}
