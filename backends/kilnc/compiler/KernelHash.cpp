#include "backends/kilnc/compiler/KernelHash.h"
#include "passes/analysis/Reachable.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace kiln {

std::string kernelHash(ModuleOp module, func::FuncOp kernel) {
  const llvm::DenseSet<Operation *> needed = reachable(module, {kernel});
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (auto function : module.getOps<func::FuncOp>()) // in the module's order, which the front end fixes
    if (needed.contains(function))
      function->print(stream, OpPrintingFlags().printGenericOpForm().enableDebugInfo(false).useLocalScope());
  std::string digits;
  llvm::raw_string_ostream(digits) << llvm::format_hex_no_prefix(llvm::xxh3_64bits(text), 16);
  return digits;
}

} // namespace kiln
