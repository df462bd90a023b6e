// Removes SPV_INTEL_memory_access_aliasing, which declares accesses that do not alias and which consumers may ignore.
// SPIRV-Tools 2023.1 accepts the capability and rejects the declarations: its validator requires them in a block, and
// its linker accepts them in no section.
#pragma once
#include "base/spirv/Words.h"

namespace kiln::spirv {

/// Pairs of an offset in the original words and the number of words removed up to and at that offset.
using LeftOut = std::vector<std::pair<size_t, size_t>>;

/// Returns the module without the extension. Records removed words in `leftOut`. Malformed instructions are allowed.
inline Words withoutAliasing(const Words &words, LeftOut *leftOut = nullptr) {
  constexpr auto Capability = uint32_t(spv::Capability::MemoryAccessAliasingINTEL);
  constexpr auto AliasScope = uint32_t(spv::Decoration::AliasScopeINTEL),
                 NoAlias = uint32_t(spv::Decoration::NoAliasINTEL);
  constexpr auto Aligned = uint32_t(spv::MemoryAccess::Aligned);
  constexpr auto ScopeMask = uint32_t(spv::MemoryAccess::AliasScopeINTELMask);
  constexpr auto NoAliasMask = uint32_t(spv::MemoryAccess::NoAliasINTELMask);
  bool declared = false;
  each(words, [&](Instruction ins) {
    declared |= opcode(ins) == spv::Op::Capability && ins.size() == 2 && ins[1] == Capability;
  });
  if (!declared)
    return words;
  Words made(words.begin(), words.begin() + HeaderWords);
  // The index of the memory operands, of which there may be two sets.
  auto operandsOf = [](spv::Op op) -> size_t {
    switch (op) {
    case spv::Op::Load:
    case spv::Op::CopyMemorySized:
      return 4;
    case spv::Op::Store:
    case spv::Op::CopyMemory:
      return 3;
    default:
      return 0;
    }
  };
  size_t total = 0;
  auto leaveOut = [&](Instruction from, size_t count) {
    total += count;
    if (leftOut && count)
      leftOut->push_back({size_t(from.data() - words.data()), total});
  };
  each(words, [&](Instruction ins) {
    const spv::Op op = opcode(ins);
    if ((op == spv::Op::Capability && ins.size() == 2 && ins[1] == Capability) ||
        (op == spv::Op::Extension && text(ins, 1) == "SPV_INTEL_memory_access_aliasing") ||
        (op >= spv::Op::AliasDomainDeclINTEL && op <= spv::Op::AliasScopeListDeclINTEL) ||
        (op == spv::Op::DecorateId && ins.size() > 2 && (ins[2] == AliasScope || ins[2] == NoAlias)))
      return leaveOut(ins, ins.size());
    const size_t start = made.size();
    size_t at = operandsOf(op);
    if (!at || at >= ins.size())
      return append(made, ins);
    append(made, ins.first(at));
    while (at < ins.size()) {
      const uint32_t mask = ins[at++];
      made.push_back(mask & ~(ScopeMask | NoAliasMask));
      if (mask & Aligned && at < ins.size())
        made.push_back(ins[at++]);
      const size_t lists = bool(mask & ScopeMask) + bool(mask & NoAliasMask);
      const size_t count = std::min(lists, ins.size() - at);
      leaveOut(ins.subspan(at), count);
      at += count;
    }
    made[start] = head(op, made.size() - start);
  });
  return made;
}

} // namespace kiln::spirv
