// Branches, the execution mask, barriers, mode, and instructions that only wait or give hints (SOPP, parts of SOP1).
#include "emulator/instructions/AllTables.h"
#include "emulator/machine/Scalars.h"
#include <chrono>

namespace kiln::emulator {
namespace {

void nothing(Wave &, const Instruction &) {}

// ---- branches

void branch(Wave &wave, const Instruction &instruction) {
  wave.jump(instruction.address + 4 + u64(i64(i16(instruction.operands[0].integer)) * 4));
}
template <auto Condition> void branchIf(Wave &wave, const Instruction &instruction) {
  if (Condition(wave))
    branch(wave, instruction);
}
void getProgramCounter(Wave &wave, const Instruction &instruction) {
  writeScalar<u64>(wave, instruction.operands[0], instruction.address + instruction.bytes);
}
void jump(Wave &wave, const Instruction &instruction) { wave.jump(readScalar<u64>(wave, instruction.operands[0])); }
void call(Wave &wave, const Instruction &instruction) {
  const u64 target = readScalar<u64>(wave, instruction.operands[1]);
  getProgramCounter(wave, instruction);
  wave.jump(target);
}
void callNear(Wave &wave, const Instruction &instruction) {
  getProgramCounter(wave, instruction);
  wave.jump(instruction.address + 4 + u64(i64(i16(instruction.operands[1].integer)) * 4));
}

// ---- the execution mask

/// The destination takes EXEC; EXEC takes Function(source, EXEC).
template <auto Function, typename T> void saveExec(Wave &wave, const Instruction &instruction) {
  const T source = readScalar<T>(wave, instruction.operands[1]);
  const T exec = sizeof(T) == 8 ? T(wave.scalarPair(Exec)) : T(wave.scalar(Exec));
  const T result = T(Function(u64(source), u64(exec)));
  writeScalar<T>(wave, instruction.operands[0], exec);
  Operand execOperand;
  execOperand.kind = OperandKind::Scalar;
  execOperand.index = Exec;
  writeScalar<T>(wave, execOperand, result);
  wave.scc = result != 0;
}
template <auto Function> constexpr Semantics saveExec32{saveExec<Function, u32>};
template <auto Function> constexpr Semantics saveExec64{saveExec<Function, u64>};

constexpr auto both = [](u64 source, u64 exec) { return source & exec; };
constexpr auto either = [](u64 source, u64 exec) { return source | exec; };
constexpr auto oneOf = [](u64 source, u64 exec) { return source ^ exec; };
constexpr auto sourceNotExec = [](u64 source, u64 exec) { return source & ~exec; };
constexpr auto execNotSource = [](u64 source, u64 exec) { return exec & ~source; };
constexpr auto sourceOrNotExec = [](u64 source, u64 exec) { return source | ~exec; };
constexpr auto execOrNotSource = [](u64 source, u64 exec) { return exec | ~source; };

/// Like saveExec, but the destination takes the new EXEC.
template <auto Function, typename T> void writeExec(Wave &wave, const Instruction &instruction) {
  const T source = readScalar<T>(wave, instruction.operands[1]);
  const T exec = sizeof(T) == 8 ? T(wave.scalarPair(Exec)) : T(wave.scalar(Exec));
  const T result = T(Function(u64(source), u64(exec)));
  writeScalar<T>(wave, instruction.operands[0], result);
  wave.setScalar(Exec, u32(result));
  if (sizeof(T) == 8)
    wave.setScalar(Exec + 1, u32(u64(result) >> 32));
  wave.scc = result != 0;
}

// ---- barriers, the end

void barrier(Wave &wave, const Instruction &instruction) {
  wave.atBarrier = true;
  wave.barrier = &instruction;
}
// From gfx12 on a barrier has two parts. A wave waits until all have come to the second part, not only to the first.
void signalBarrier(Wave &wave, const Instruction &instruction) {
  if (instruction.operands[0].integer != -1)
    throw Fault(FaultKind::IllegalInstruction, "the emulator has only the barrier of the group, which is -1");
  wave.signalled = true;
}
void waitBarrier(Wave &wave, const Instruction &instruction) {
  if (!wave.signalled)
    throw Fault(FaultKind::LaunchFailure, "a wait at a barrier that the wave has not signalled");
  wave.signalled = false;
  barrier(wave, instruction);
}
void end(Wave &wave, const Instruction &) { wave.ended = true; }
void trap(Wave &, const Instruction &instruction) {
  throw Fault(FaultKind::LaunchFailure, "the kernel traps with the code ", instruction.operands[0].integer);
}

// ---- hardware registers

u32 &hardwareRegister(Wave &wave, const Operand &operand) {
  constexpr u16 Mode = 1;
  constexpr u16 FlatScratchLow = 20, FlatScratchHigh = 21;
  // gfx10 sets FLAT_SCRATCH this way. Scratch memory is found by its aperture, so the value has no effect.
  if (operand.index == FlatScratchLow || operand.index == FlatScratchHigh) {
    thread_local u32 ignored;
    return ignored;
  }
  if (operand.kind != OperandKind::HardwareRegister || operand.index != Mode)
    throw Fault(FaultKind::IllegalInstruction, "the emulator has no hardware register except MODE");
  return wave.mode;
}
u32 fieldMask(const Operand &operand) { return (operand.bits >= 32 ? ~0u : (1u << operand.bits) - 1) << operand.bit; }
void getRegister(Wave &wave, const Instruction &instruction) {
  const Operand &operand = instruction.operands[1];
  writeScalar<u32>(wave, instruction.operands[0],
                   (hardwareRegister(wave, operand) & fieldMask(operand)) >> operand.bit);
}
void setRegister(Wave &wave, const Instruction &instruction) {
  const Operand &operand = instruction.operands[0];
  u32 &target = hardwareRegister(wave, operand);
  const u32 mask = fieldMask(operand);
  target = (target & ~mask) | (readScalar<u32>(wave, instruction.operands[1]) << operand.bit & mask);
}
void setRounding(Wave &wave, const Instruction &instruction) {
  wave.mode = (wave.mode & ~0xfu) | (u32(instruction.operands[0].integer) & 0xf);
}
void setDenormals(Wave &wave, const Instruction &instruction) {
  wave.mode = (wave.mode & ~0xf0u) | (u32(instruction.operands[0].integer) & 0xf) << 4;
}

// ---- indexed registers of gfx9: M0 has the index in bits 7:0 and the indexed operands in bits 15:12

void setIndexing(Wave &wave, const Instruction &instruction) {
  const u32 index = readScalar<u32>(wave, instruction.operands[0]) & 0xff;
  wave.setScalar(M0, (wave.scalar(M0) & 0xffff0f00) | index | u32(instruction.operands[1].integer) << 12);
  wave.mode |= Wave::IndexingEnabled;
}
void setIndex(Wave &wave, const Instruction &instruction) {
  wave.setScalar(M0, (wave.scalar(M0) & ~0xffu) | (readScalar<u32>(wave, instruction.operands[0]) & 0xff));
}
void endIndexing(Wave &wave, const Instruction &) { wave.mode &= ~Wave::IndexingEnabled; }

template <typename T, bool Source> void moveRelative(Wave &wave, const Instruction &instruction) {
  Operand target = instruction.operands[0], source = instruction.operands[1];
  (Source ? source : target).index = u16((Source ? source : target).index + wave.scalar(M0));
  writeScalar<T>(wave, target, readScalar<T>(wave, source));
}

// ---- clocks

/// A clock of 100 MHz, as of gfx94x and gfx11.
u64 realTime() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return u64(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()) / 10;
}
void clock(Wave &wave, const Instruction &instruction) { writeScalar<u64>(wave, instruction.operands[0], realTime()); }
void messageWithResult(Wave &wave, const Instruction &instruction) {
  if (instruction.text.find("MSG_RTN_GET_REALTIME") == std::string::npos)
    throw Fault(FaultKind::IllegalInstruction, "the emulator does not have this message");
  clock(wave, instruction);
}
void message(Wave &, const Instruction &instruction) {
  if (instruction.text.find("MSG_DEALLOC_VGPRS") == std::string::npos)
    throw Fault(FaultKind::IllegalInstruction, "the emulator does not have this message");
}

const Row rows[] = {
    {"s_branch", {branch}},
    {"s_cbranch_scc0", {branchIf<[](const Wave &wave) { return !wave.scc; }>}},
    {"s_cbranch_scc1", {branchIf<[](const Wave &wave) { return wave.scc; }>}},
    {"s_cbranch_vccz", {branchIf<[](const Wave &wave) { return !wave.vcc(); }>}},
    {"s_cbranch_vccnz", {branchIf<[](const Wave &wave) { return wave.vcc() != 0; }>}},
    {"s_cbranch_execz", {branchIf<[](const Wave &wave) { return !wave.exec(); }>}},
    {"s_cbranch_execnz", {branchIf<[](const Wave &wave) { return wave.exec() != 0; }>}},
    {"s_getpc_b64", {getProgramCounter}},
    {"s_setpc_b64", {jump}},
    {"s_swappc_b64", {call}},
    {"s_call_b64", {callNear}},

    {"s_and_saveexec_b32", saveExec32<both>},
    {"s_and_saveexec_b64", saveExec64<both>},
    {"s_or_saveexec_b32", saveExec32<either>},
    {"s_or_saveexec_b64", saveExec64<either>},
    {"s_xor_saveexec_b32", saveExec32<oneOf>},
    {"s_xor_saveexec_b64", saveExec64<oneOf>},
    {"s_andn2_saveexec_b32 s_and_not1_saveexec_b32", saveExec32<sourceNotExec>},
    {"s_andn2_saveexec_b64 s_and_not1_saveexec_b64", saveExec64<sourceNotExec>},
    {"s_orn2_saveexec_b32 s_or_not1_saveexec_b32", saveExec32<sourceOrNotExec>},
    {"s_orn2_saveexec_b64 s_or_not1_saveexec_b64", saveExec64<sourceOrNotExec>},
    {"s_andn1_saveexec_b32 s_and_not0_saveexec_b32", saveExec32<execNotSource>},
    {"s_andn1_saveexec_b64 s_and_not0_saveexec_b64", saveExec64<execNotSource>},
    {"s_orn1_saveexec_b32 s_or_not0_saveexec_b32", saveExec32<execOrNotSource>},
    {"s_orn1_saveexec_b64 s_or_not0_saveexec_b64", saveExec64<execOrNotSource>},
    {"s_andn2_wrexec_b32 s_and_not1_wrexec_b32", {writeExec<sourceNotExec, u32>}},
    {"s_andn2_wrexec_b64 s_and_not1_wrexec_b64", {writeExec<sourceNotExec, u64>}},
    {"s_andn1_wrexec_b32 s_and_not0_wrexec_b32", {writeExec<execNotSource, u32>}},
    {"s_andn1_wrexec_b64 s_and_not0_wrexec_b64", {writeExec<execNotSource, u64>}},

    {"s_barrier", {barrier}},
    {"s_barrier_signal", {signalBarrier}},
    {"s_barrier_wait", {waitBarrier}},
    {"s_endpgm s_endpgm_saved", {end}},
    {"s_trap", {trap}},

    {"s_getreg_b32", {getRegister}},
    {"s_setreg_b32 s_setreg_imm32_b32", {setRegister}},
    {"s_round_mode", {setRounding}},
    {"s_denorm_mode", {setDenormals}},

    {"s_set_gpr_idx_on", {setIndexing}},
    {"s_set_gpr_idx_idx", {setIndex}},
    {"s_set_gpr_idx_off", {endIndexing}},
    {"s_movrels_b32", {moveRelative<u32, true>}},
    {"s_movrels_b64", {moveRelative<u64, true>}},
    {"s_movreld_b32", {moveRelative<u32, false>}},
    {"s_movreld_b64", {moveRelative<u64, false>}},

    {"s_memtime s_memrealtime", {clock}},
    {"s_sendmsg_rtn_b64", {messageWithResult}},
    {"s_sendmsg", {message}},

    // Waits: memory operations are complete when their instruction has executed.
    {"s_waitcnt s_waitcnt_vscnt s_waitcnt_vmcnt s_waitcnt_lgkmcnt s_waitcnt_expcnt s_waitcnt_depctr", {nothing}},
    {"s_wait_loadcnt s_wait_storecnt s_wait_dscnt s_wait_kmcnt s_wait_samplecnt s_wait_bvhcnt s_wait_expcnt "
     "s_wait_loadcnt_dscnt s_wait_storecnt_dscnt s_wait_idle s_wait_alu",
     {nothing}},
    // Hints, and hazards of the pipeline, which the emulator does not have.
    {"s_nop s_sleep s_setprio s_clause s_delay_alu s_set_inst_prefetch_distance s_inst_prefetch s_code_end v_nop "
     "s_incperflevel s_decperflevel s_ttracedata s_sleep_var",
     {nothing}},
    // Caches: host memory is coherent.
    {"s_dcache_wb s_dcache_inv s_dcache_wb_vol s_dcache_inv_vol s_icache_inv s_gl1_inv buffer_wbl2 buffer_inv "
     "buffer_invl2 buffer_wbinvl1 buffer_wbinvl1_vol buffer_gl0_inv buffer_gl1_inv global_inv global_wb global_wbinv",
     {nothing}},
};

} // namespace

const Table scalarControl = rows;

} // namespace kiln::emulator
