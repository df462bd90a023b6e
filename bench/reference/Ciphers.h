// SHA-256 and ChaCha20 as FIPS 180-4 and RFC 8439 describe them, a word after the other.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace bench {

/// The message with its padding, as words of SHA.
std::vector<uint32_t> padded(std::string_view message);
/// Of `blocks` blocks of padded words.
std::array<uint32_t, 8> sha256(const uint32_t *words, size_t blocks);

/// 16 words of the stream.
std::array<uint32_t, 16> chacha20(const std::vector<uint32_t> &key, const std::vector<uint32_t> &nonce, uint32_t block);

} // namespace bench
