// Runs the SPIRV-LLVM-Translator with settings for Kiln's importer.
#pragma once
#include "llvm/IR/Module.h"
#include <string>

namespace kiln::frontend {

/// Translates a module and modifies it. The kernel `finalizer`, if not empty, gets the mode Finalizer. Returns false,
/// with a message in `error`, if the module cannot be expressed in SPIR-V, or has asm statements without `assembly`.
bool toSpirv(llvm::Module &module, const std::string &finalizer, bool assembly, std::string &spirv, std::string &error);

} // namespace kiln::frontend
