// Words that are mixed until nobody knows them.
#pragma once
#include "bench/native/Range.h"
#include <stdint.h>

namespace bench::native {

/// SHA-256 of messages of `blocks` blocks each, padded, as words of SHA.
void sha256(const uint32_t *messages, uint32_t *digests, size_t blocks, Range range);

/// Adds the stream of ChaCha20 to blocks of 16 words, of which the first has number 0. The range is one of blocks.
void chacha20(const uint32_t *from, uint32_t *to, const uint32_t *key, const uint32_t *nonce, Range range);

} // namespace bench::native
