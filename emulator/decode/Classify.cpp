#include "emulator/decode/Classify.h"
#include "emulator/decode/Parse.h"
#include <initializer_list>

namespace kiln::emulator {
namespace {

bool startsWithAny(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}
bool containsAny(std::string_view name, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
}

Unit unitOf(std::string_view name) {
  if (name.starts_with("v_"))
    return startsWithAny(name, {"v_exp_", "v_log_", "v_rcp_", "v_rsq_", "v_sqrt_", "v_sin_", "v_cos_", "v_s_"})
               ? Unit::Transcendental
               : Unit::Vector;
  if (name.starts_with("ds_"))
    return Unit::Local;
  if (startsWithAny(name, {"scratch_", "buffer_load_", "buffer_store_"}))
    return Unit::Scratch;
  if (startsWithAny(name, {"global_", "flat_", "buffer_"}))
    return Unit::VectorMemory;
  if (startsWithAny(name, {"s_load_", "s_buffer_load_", "s_memtime", "s_memrealtime", "s_dcache", "s_gl1_inv"}))
    return Unit::ScalarMemory;
  if (name.starts_with("s_barrier"))
    return Unit::Barrier;
  if (startsWithAny(name, {"s_branch", "s_cbranch", "s_setpc", "s_swappc", "s_call", "s_endpgm"}))
    return Unit::Branch;
  if (startsWithAny(name, {"s_wait", "s_nop", "s_delay_alu", "s_clause", "s_sleep", "s_code_end", "s_icache"}))
    return Unit::Wait;
  return Unit::Scalar;
}

MemoryKind memoryOf(std::string_view name) {
  if (startsWithAny(name, {"s_load_", "s_buffer_load_", "s_memtime", "s_memrealtime"}))
    return MemoryKind::Scalar;
  if (name.starts_with("s_sendmsg_rtn_"))
    return MemoryKind::Message;
  if (name.starts_with("ds_"))
    return MemoryKind::Local;
  if (startsWithAny(name, {"global_", "scratch_", "buffer_", "flat_"}) &&
      containsAny(name, {"_load_", "_store_", "_atomic_"}))
    return name.starts_with("flat_") ? MemoryKind::Flat : MemoryKind::Vector;
  return MemoryKind::None;
}

bool isLocalExchange(std::string_view name) { return containsAny(name, {"permute", "swizzle"}); }

Effect effectOf(std::string_view name, const Instruction &instruction) {
  switch (instruction.memory) {
  case MemoryKind::Scalar:
    return startsWithAny(name, {"s_load_", "s_buffer_load_"}) ? Effect::ScalarLoad : Effect::Control;
  case MemoryKind::Local:
    if (isLocalExchange(name))
      return Effect::Registers;
    return containsAny(name, {"_read", "_load_"})           ? Effect::Load
           : startsWithAny(name, {"ds_write", "ds_store_"}) ? Effect::Store
                                                            : Effect::Atomic;
  case MemoryKind::Vector:
  case MemoryKind::Flat:
    return containsAny(name, {"_atomic_"}) ? Effect::Atomic
           : containsAny(name, {"_load_"}) ? Effect::Load
                                           : Effect::Store;
  case MemoryKind::Message:
  case MemoryKind::None:
    break;
  }
  const bool isControl = (unitOf(name) != Unit::Scalar && name.starts_with("s_")) ||
                         startsWithAny(name, {"s_setreg", "s_round_mode", "s_denorm_mode", "s_trap", "s_sendmsg",
                                              "s_set_gpr_idx", "s_getpc", "s_setprio", "buffer_", "global_", "flat_"});
  return isControl ? Effect::Control : Effect::Registers;
}

/// Of the instructions whose row in instructions/ does not say it.
u8 destinationsOf(std::string_view name, const Instruction &instruction) {
  if (instruction.memory != MemoryKind::None)
    return instruction.memoryResult;
  if (name.starts_with("v_swap"))
    return 2;
  if (name.starts_with("v_"))
    return name != "v_nop";
  return containsAny(name, {"_saveexec", "_wrexec", "s_movrel"}) ||
         startsWithAny(name, {"s_getpc", "s_swappc", "s_call", "s_getreg"});
}

} // namespace

void classify(Instruction &instruction, std::string_view name) {
  instruction.waits = parseWaits(name, instruction.text);
  instruction.unit = unitOf(name);
  instruction.memory = memoryOf(name);
  instruction.memoryResult = instruction.memory == MemoryKind::Scalar || instruction.memory == MemoryKind::Message ||
                             (instruction.memory != MemoryKind::None &&
                              (containsAny(name, {"_load_", "_read", "_rtn_"}) || isLocalExchange(name) ||
                               (containsAny(name, {"_atomic_"}) && instruction.returns)));
  instruction.effect = effectOf(name, instruction);
  instruction.destinations = destinationsOf(name, instruction);
  if (instruction.effect == Effect::Store)
    instruction.data = name.starts_with("buffer_") ? 0 : 1;
  instruction.crossesLanes =
      instruction.dpp != DppKind::None || isLocalExchange(name) || containsAny(name, {"lane_b32", "permlane"});
  instruction.relative = containsAny(name, {"movrel"});
  instruction.keepsPart = containsAny(name, {"d16"});
  instruction.isComparison = containsAny(name, {"_cmp_", "_cmpx_", "_bitcmp"});
  instruction.condition = name.starts_with("s_cbranch_scc")   ? Condition::Scc
                          : name.starts_with("s_cbranch_vcc") ? Condition::Vcc
                                                              : Condition::None;
  instruction.replacesMemory = containsAny(name, {"_swap", "xchg"}) && !containsAny(name, {"cmpswap"});
  instruction.drainsVectors = name == "s_waitcnt_depctr" && containsAny(instruction.text, {"va_vdst(0)"});
  if (name == "s_nop" && instruction.operandCount)
    instruction.waitStates = u8(instruction.operands[0].integer + 1);
}

} // namespace kiln::emulator
