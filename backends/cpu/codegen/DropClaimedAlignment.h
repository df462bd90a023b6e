// Alignments that only the program's types claim, on the CPU.
#pragma once
#include "llvm/IR/Module.h"

namespace kiln {

/// Sets the alignment of each load, store, masked access and copy to what is known of the address: of private and local
/// variables, constants, and other memory that Kiln places. Atomic accesses keep theirs.
///
///   %p = load ptr, ptr %arguments              %p = load ptr, ptr %arguments, align 1
///   %v = load <4 x float>, ptr %p, align 16    ==>  %v = load <4 x float>, ptr %p, align 1      vmovups, not vmovaps
///
/// OpenCL C does not define an access through a `float4 *` that is not a multiple of 16 (Alignment of Types), and
/// SPIR-V's Aligned operand repeats the type's alignment. But programs cast pointers to elements to pointers to vectors
/// (ggml does), and other implementations for x86 run them, where a `vmovaps` would end the application. A smaller
/// alignment is correct for every address. LLVM's InferAlignment raises it again where it finds more.
///
/// On aligned data `vmovups` is as fast as `vmovaps`, and VEX instructions take operands at any address. Without VEX
/// (processors before AVX) an operand of unknown alignment is a separate `movups`. Of the 39 files of bench/, x86-64-v3
/// and v4 have the same instructions in 36, up to the names of moves, and 3 to 6 of 860 to 3,900 more in those that
/// enqueue kernels; x86-64-v2 also has 1 more in lennard_jones.cl and 3 in saxpy.cl. LLVM emits nontemporal stores of
/// vectors at unknown addresses as `movnti` of 8 bytes each, and such loads as plain ones: x86's nontemporal vector
/// instructions need alignment.
///
/// KILN_CHECK_ASSUMPTIONS reports addresses that are less aligned than claimed (passes/simd/emit/CheckAlignment.cpp).
void dropClaimedAlignment(llvm::Module &module);

} // namespace kiln
