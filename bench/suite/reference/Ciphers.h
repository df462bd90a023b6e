// SHA-256 (FIPS 180-4) and ChaCha20 (RFC 8439), one word at a time.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bench {

/// The message with its padding, as big-endian words.
std::vector<uint32_t> padded(std::string_view message);
/// The hash of `blocks` blocks of padded words.
std::array<uint32_t, 8> sha256(const uint32_t *words, size_t blocks);

/// One block of the key stream.
std::array<uint32_t, 16> chacha20(const std::vector<uint32_t> &key, const std::vector<uint32_t> &nonce, uint32_t block);

} // namespace bench
