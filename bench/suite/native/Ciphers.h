// Hashes and ciphers.
#pragma once
#include "bench/suite/native/Range.h"
#include <stdint.h>

namespace bench::native {

/// SHA-256 of padded messages of `blocks` blocks each, in big-endian words.
void sha256(const uint32_t *messages, uint32_t *digests, size_t blocks, Range range);

/// XORs blocks of 16 words with the key stream of ChaCha20. Block indices start at 0; the range counts blocks.
void chacha20(const uint32_t *from, uint32_t *to, const uint32_t *key, const uint32_t *nonce, Range range);

} // namespace bench::native
