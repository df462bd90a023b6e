// Separates the registers of narrow stores from the instructions that compute them.
#pragma once
#include "llvm/ADT/StringRef.h"
#include <string>

namespace kiln {

/// Returns the PTX with a copy before each store of a part of a register: LLVM stores the lower half of a double by
/// `st.b32` of its 64-bit register, for which the assembler (of CUDA 13.0, also in the driver) converts the double to
/// an integer if the instruction that computes the register is a floating-point one. A copy has no such type, and costs
/// nothing.
std::string separateNarrowStores(llvm::StringRef ptx);

} // namespace kiln
