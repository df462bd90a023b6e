// The SPIRV-LLVM-Translator, with the settings that Kiln's importer wants.
#pragma once
#include "llvm/IR/Module.h"
#include <string>

namespace kiln::frontend {

/// Translates, and destroys, a module. False, with a sentence in `error`, when it cannot be said in SPIR-V.
bool toSpirv(llvm::Module &module, std::string &spirv, std::string &error);

} // namespace kiln::frontend
