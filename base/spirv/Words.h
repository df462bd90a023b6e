// A SPIR-V module as words, for code that modifies a few instructions and needs no decoder.
#pragma once
#include "base/spirv/Numbers.h"
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace kiln::spirv {

using Words = std::vector<uint32_t>; // a module in this machine's byte order
using Instruction = std::span<const uint32_t>;

// Indices in the header, and its length.
inline constexpr size_t Version = 1, Bound = 3, HeaderWords = 5;
inline constexpr uint32_t Version14 = 0x00010400;

inline spv::Op opcode(Instruction ins) { return spv::Op(ins[0] & 0xffff); }
inline uint32_t head(spv::Op opcode, size_t words) { return uint32_t(words) << 16 | uint32_t(opcode); }

/// Visits the instructions of an unchecked module. Each has at least one word and ends within the module.
template <typename Visit> void each(std::span<const uint32_t> words, Visit visit) {
  for (size_t at = HeaderWords, count = 0; at < words.size(); at += count) {
    count = std::min(std::max<size_t>(1, words[at] >> 16), words.size() - at);
    visit(words.subspan(at, count));
  }
}

/// Returns the string at word `at` of an instruction; it has text.size() / 4 + 1 words.
inline std::string_view text(Instruction ins, size_t at) {
  if (at >= ins.size())
    return {};
  auto *letters = reinterpret_cast<const char *>(&ins[at]);
  return {letters, strnlen(letters, (ins.size() - at) * 4)};
}

/// Returns the name by which an instruction exports or imports its target; nullopt for other instructions.
inline std::optional<std::string_view> linkageName(Instruction ins) {
  if (opcode(ins) != spv::Op::Decorate || ins.size() < 5 ||
      spv::Decoration(ins[2]) != spv::Decoration::LinkageAttributes)
    return std::nullopt;
  return text(ins.first(ins.size() - 1), 3);
}

inline void append(Words &words, Instruction ins) { words.insert(words.end(), ins.begin(), ins.end()); }
inline void append(Words &words, std::string_view text) {
  words.resize(words.size() + text.size() / 4 + 1);
  memcpy(words.data() + words.size() - (text.size() / 4 + 1), text.data(), text.size());
}

inline Words wordsOf(std::string_view bytes) {
  Words words(bytes.size() / 4);
  memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}
inline std::string_view bytesOf(const Words &words) {
  return {reinterpret_cast<const char *>(words.data()), words.size() * 4};
}

} // namespace kiln::spirv
