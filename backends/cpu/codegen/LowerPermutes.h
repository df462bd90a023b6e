// Instructions for wg.permute.
#pragma once
#include "llvm/IR/Module.h"

namespace kiln {

/// Replaces calls of the functions that wg.permute is lowered to (passes/lowering/PermuteSymbols.h):
///
///   %r = call @kiln.permute.i32x16(%i, %a, %b)   ==>   %r = call @llvm.x86.avx512.vpermi2var.d.512(%a, %i, %b)
///
///   %r = call @kiln.permute.i32x8(%i, %a, %b)    ==>   %low = icmp ult %i, 8
///                                                      %x = call @llvm.x86.avx2.permd(%a, %i)
///                                                      %y = call @llvm.x86.avx2.permd(%b, %i)
///                                                      %r = select %low, %x, %y
///
/// vpermd reads the lowest three bits of an index, so an index above 7 selects from the second vector. Returns false,
/// with `error` set, for other numbers of lanes.
bool lowerPermutes(llvm::Module &module, std::string &error);

} // namespace kiln
