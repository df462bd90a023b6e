// The GPU math library: bitcode of backends/gpu/math, embedded in the compiler, so that no file is needed at run time.
#pragma once
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include <string>

namespace kiln {

llvm::StringRef nvptxMathLibrary();
llvm::StringRef amdgpuMathLibrary();

/// Links the library functions that the module calls. Returns false, with `error` set, if one is missing.
bool linkMathLibrary(llvm::Module &module, llvm::StringRef library, std::string &error);

} // namespace kiln
