// Clang's code generator calls getPollyPluginInfo for the passes of Polly, a loop optimiser that Debian's LLVM
// contains. kiln-clc makes SPIR-V, so this function adds no pass, and the linker leaves Polly out.
#include <llvm/Passes/PassPlugin.h>

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "none", "0", [](llvm::PassBuilder &) {}};
}
