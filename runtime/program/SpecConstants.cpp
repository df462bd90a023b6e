#include "runtime/program/SpecConstants.h"
#include <algorithm>
#include <cstring>
#include <map>

namespace kiln {

wire::Bytes withConstants(wire::Bytes spirv, const std::vector<protocol::SpecConstant> &constants) {
  constexpr size_t HeaderWords = 5;
  constexpr uint32_t OpSpecConstantTrue = 48, OpSpecConstantFalse = 49, OpSpecConstant = 50, OpDecorate = 71;
  constexpr uint32_t SpecId = 1;
  if (constants.empty())
    return spirv;
  std::vector<uint32_t> words(spirv.size() / 4);
  std::memcpy(words.data(), spirv.data(), words.size() * 4);
  std::map<uint32_t, const wire::Bytes *> values; // by the constant's id in the module; decorations precede constants
  for (size_t at = HeaderWords, count; at < words.size(); at += count) {
    uint32_t opcode = words[at] & 0xffff;
    count = std::max<size_t>(1, words[at] >> 16);
    if (count < 3 || count > words.size() - at)
      continue;
    if (opcode == OpDecorate && count == 4 && words[at + 2] == SpecId) {
      auto given = std::ranges::find(constants, words[at + 3], &protocol::SpecConstant::id);
      if (given != constants.end())
        values[words[at + 1]] = &given->value;
      continue;
    }
    auto value = values.find(words[at + 2]);
    if (value == values.end())
      continue;
    if (opcode == OpSpecConstantTrue || opcode == OpSpecConstantFalse) {
      bool bit = std::ranges::any_of(*value->second, [](uint8_t byte) { return byte != 0; });
      words[at] = uint32_t(count) << 16 | (bit ? OpSpecConstantTrue : OpSpecConstantFalse);
    } else if (opcode == OpSpecConstant && value->second->size() <= (count - 3) * 4) {
      std::fill(&words[at + 3], &words[at] + count, 0); // smaller types use a whole word
      std::memcpy(&words[at + 3], value->second->data(), value->second->size());
    }
  }
  std::memcpy(spirv.data(), words.data(), words.size() * 4);
  return spirv;
}

} // namespace kiln
