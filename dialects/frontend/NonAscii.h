// Text outside of ASCII, which LLVM 15's translator writes incorrectly: it extends the sign of each byte over the bytes
// after it, so a kernel named `é` makes an invalid module. The translator gets ASCII instead.
//
//   @"é" = function          define @"\7FC3\7FA9"          OpName %1 "\7FC3\7FA9"          OpName %1 "é"
//                      ==>                        translator                        ==>
#pragma once
#include "base/spirv/Words.h"
#include <llvm/IR/Module.h>

namespace kiln::frontend {

/// Before translation: replaces each byte outside of ASCII, in names of values and types and in metadata (arguments,
/// files, variables for a debugger), by DEL and two hexadecimal digits, and DEL as well. Returns true if there was any.
bool escapeNonAscii(llvm::Module &module);
/// After translation: restores the bytes in names, linkage names and strings.
spirv::Words withNonAscii(const spirv::Words &words);

} // namespace kiln::frontend
