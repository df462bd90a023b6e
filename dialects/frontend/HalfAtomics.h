// Atomic additions of half, for a translator that has them for float and double only and ends the process for half. It
// leaves calls of unknown functions as they are:
//
//   atomic_fetch_add_explicit(p, x, memory_order_acq_rel, memory_scope_device)
//   call @kiln.add_half.1(p, x, 1, 8)                  SPIR-V's Scope and Memory Semantics
//   OpAtomicFAddEXT %half %p %uint_1 %uint_8 %x
#pragma once
#include "base/spirv/Words.h"
#include <llvm/IR/Module.h>

namespace kiln::frontend {

/// Before translation: replaces additions and subtractions of half by the calls. After fixOrders.
void addHalvesByCalls(llvm::Module &module);
/// After translation: replaces the calls by OpAtomicFAddEXT, and declares its capability and extension.
spirv::Words withHalfAdditions(const spirv::Words &words);

} // namespace kiln::frontend
