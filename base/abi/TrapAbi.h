// What GPU code writes when a work-item traps (a failed `assert`, `__builtin_trap`), because the hardware's trap loses
// the device. passes/gpu/LowerGpuTraps writes it, runtime/program/Printf reads it.
#pragma once
#include "base/abi/KernelAbi.h"

namespace kiln::abi {

/// The first work-item of a launch that traps. The one that changes `count` from 0 writes the rest.
struct TrapRecord {
  uint64_t count;   // work-items that trapped
  uint64_t line;    // of the source; 0 if the module has no lines
  uint64_t item[3]; // global ids
};

/// Set in the signature of the PrintfRecord that the same work-item writes directly before, the message of an
/// assertion.
inline constexpr uint32_t TrapMessageBit = 1u << 31;

/// The distance of the record from the begin of the launch's PrintfBuffer.
inline constexpr uint64_t TrapRecordOffset = sizeof(PrintfBuffer) + PrintfCapacity + MaxPrintfRecord;

} // namespace kiln::abi
