#include "runtime/program/SpecConstants.h"
#include "base/spirv/Words.h"
#include <algorithm>
#include <cstring>
#include <map>

namespace kiln {

wire::Bytes withConstants(wire::Bytes module, const std::vector<protocol::SpecConstant> &constants) {
  if (constants.empty())
    return module;
  spirv::Words words(module.size() / 4);
  std::memcpy(words.data(), module.data(), words.size() * 4);
  std::map<uint32_t, const wire::Bytes *> values; // by the constant's id in the module; decorations precede constants
  spirv::each(words, [&](spirv::Instruction ins) {
    if (ins.size() < 3 || ins.size() != ins[0] >> 16) // the module ends within the instruction
      return;
    const spv::Op op = spirv::opcode(ins);
    if (op == spv::Op::Decorate && ins.size() == 4 && spv::Decoration(ins[2]) == spv::Decoration::SpecId) {
      auto given = std::ranges::find(constants, ins[3], &protocol::SpecConstant::id);
      if (given != constants.end())
        values[ins[1]] = &given->value;
      return;
    }
    auto value = values.find(ins[2]);
    if (value == values.end())
      return;
    const std::span<uint32_t> changed(words.begin() + (ins.data() - words.data()), ins.size());
    const wire::Bytes &bytes = *value->second;
    if (op == spv::Op::SpecConstantTrue || op == spv::Op::SpecConstantFalse) {
      const bool isTrue = std::ranges::any_of(bytes, [](uint8_t byte) { return byte != 0; });
      changed[0] = spirv::head(isTrue ? spv::Op::SpecConstantTrue : spv::Op::SpecConstantFalse, ins.size());
    } else if (op == spv::Op::SpecConstant && bytes.size() <= (ins.size() - 3) * 4) {
      std::ranges::fill(changed.subspan(3), 0); // smaller types use a whole word
      std::memcpy(&changed[3], bytes.data(), bytes.size());
    }
  });
  std::memcpy(module.data(), words.data(), words.size() * 4);
  return module;
}

} // namespace kiln
