// The GPU math library: libclc's bitcode, reduced to the functions of `ocl.math` during Kiln's build (trim/) and
// embedded in the compiler, so that no file is needed at run time.
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
