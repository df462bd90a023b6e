// Why a pass decides as it does, for those who work on the pass: `kilnc --explain=wg-vectorize k.cl`.
//
//   explain("wg-vectorize", [&](llvm::raw_ostream &os) { os << "interleave count " << count; });
//
// Users of Kiln read remarks instead (kilnc --report). LLVM_DEBUG and its option -debug-only are
// not used, because they exist only in builds of LLVM with assertions, which distributions do not package.
#pragma once
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace kiln {

/// Lets a pass explain itself. `name`: as on a command line. Call it before the first pass runs.
void explainPass(std::string name);

/// Prints the line "PASS: ..." to standard error if the pass was chosen; `write` is called only then.
void explain(llvm::StringRef pass, llvm::function_ref<void(llvm::raw_ostream &)> write);

} // namespace kiln
