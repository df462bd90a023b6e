// Drops nontemporal hints from loads for which the processor has no such instruction.
#pragma once
#include "llvm/IR/Module.h"

namespace kiln {

/// Drops the hint from loads of less than 16 bytes. x86 has nontemporal loads of whole vector registers only, and
/// LLVM 22's instruction selection crashes on those of one byte (`xor i8 %x, %loaded`).
void dropNontemporalHints(llvm::Module &module);

} // namespace kiln
