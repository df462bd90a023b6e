// The SPIRV-LLVM-Translator, with the settings that Kiln's importer wants.
#pragma once
#include "llvm/IR/Module.h"
#include <string>

namespace kiln::frontend {

/// Translates, and destroys, a module; the kernel `finaliser`, if there is one, gets the mode Finalizer. False, with a
/// sentence in `error`, when it cannot be said in SPIR-V.
bool toSpirv(llvm::Module &module, const std::string &finaliser, std::string &spirv, std::string &error);

} // namespace kiln::frontend
