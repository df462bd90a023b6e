// Runs the SPIRV-LLVM-Translator with settings for Kiln's importer.
#pragma once
#include "llvm/IR/Module.h"
#include <string>

namespace kiln::frontend {

struct TranslationOptions {
  std::string finalizer = {};         // the kernel, if any, that gets the mode Finalizer
  bool assembly = false;              // the device supports asm statements
  bool keepsPrivateVariables = false; // in memory, for a debugger
};

/// Translates a module and modifies it. Returns false, with a message in `error`, if the module cannot be expressed in
/// SPIR-V.
bool toSpirv(llvm::Module &module, const TranslationOptions &options, std::string &spirv, std::string &error);

} // namespace kiln::frontend
