// The GPUs' math library: libclc's bitcode, cut down to what kernels can call when Kiln is built (trim/), and carried
// inside the compiler, so that no file has to be found where kernels are compiled.
#pragma once
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include <string>

namespace kiln {

llvm::StringRef nvptxMathLibrary();
llvm::StringRef amdgpuMathLibrary();

/// Links what the module calls of the library, and nothing else. False with `error` set when something is missing.
bool linkMathLibrary(llvm::Module &module, llvm::StringRef library, std::string &error);

} // namespace kiln
