// The interfaces of entry points. Before SPIR-V 1.4 they list the Input and Output variables, since 1.4 all
// module-scope variables that the entry point uses. Listing unused variables is allowed.
#pragma once
#include "base/spirv/Words.h"
#include <set>

namespace kiln::spirv {

/// Returns the module with all its module-scope variables in the interface of each entry point.
inline Words withFullInterfaces(const Words &words) {
  std::vector<uint32_t> variables;
  each(words, [&](Instruction ins) {
    if (opcode(ins) == spv::Op::Variable && ins.size() > 3 && spv::StorageClass(ins[3]) != spv::StorageClass::Function)
      variables.push_back(ins[2]);
  });
  if (variables.empty())
    return words;
  Words made(words.begin(), words.begin() + HeaderWords);
  each(words, [&](Instruction ins) {
    const size_t start = made.size();
    append(made, ins);
    if (opcode(ins) != spv::Op::EntryPoint)
      return;
    Instruction named = ins.subspan(std::min(ins.size(), 3 + text(ins, 3).size() / 4 + 1));
    const std::set<uint32_t> known(named.begin(), named.end());
    for (uint32_t variable : variables)
      if (!known.contains(variable))
        made.push_back(variable);
    made[start] = head(spv::Op::EntryPoint, made.size() - start);
  });
  return made;
}

} // namespace kiln::spirv
