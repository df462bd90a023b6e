// Quotients of floats by an estimate of the reciprocal, where a program allows approximations.
#pragma once
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace kiln {

/// Replaces divisions of vectors of float that allow reciprocals and approximations (-cl-unsafe-math-optimizations,
/// -cl-fast-relaxed-math) by an estimate and one step of Newton's method, for processors with FMA:
///
///   %q = fdiv arcp afn <16 x float> %a, %x   ==>   %r = rcp14(%x)          relative error 2^-14 (AVX2: 1.5 * 2^-12)
///                                                  %s = %a * %r
///                                                  %e = fma(-%x, %s, %a)
///                                                  %t = fma(%e, %r, %s)
///                                                  %q = %t is NaN ? %s : %t
///
/// Legal because these options allow an error of 2.5 ulp for x / y (OpenCL C 3.0, Relative Error as ULPs, -cl-fast-
/// relaxed-math). LLVM expands such divisions likewise, but without the select and only with `ninf`: its 1 / infinity
/// is NaN, since the step multiplies infinity by 0. Programs rely on 1 / (1 + exp(-x)) being 0 where exp overflows
/// (ggml's sigmoid), so Kiln sets no `ninf` (backends/kilnc/compiler/BuildOptions.cpp). The select covers an infinite
/// or zero divisor, an infinite dividend, and divisors below 2^-128, whose estimate is infinity.
///
/// Not handled: scalars, for which a division is as fast, and vectors whose length is no multiple of a register's.
void estimateQuotients(llvm::Module &module, const llvm::TargetMachine &machine);

} // namespace kiln
