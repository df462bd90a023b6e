// Clang asks each extension of Debian's LLVM for its passes. Polly optimises loops for one machine; kiln-clc makes
// SPIR-V.
#include <llvm/Passes/PassPlugin.h>

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "none", "0", [](llvm::PassBuilder &) {}};
}
