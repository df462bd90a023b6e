// Records every pass of MLIR and LLVM with its time and its result.
#pragma once
#include "backends/kilnc/explorer/Recorder.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"

namespace kiln::explorer {

/// Monotonic time in nanoseconds.
uint64_t now();

/// For mlir::PassManager::addInstrumentation.
std::unique_ptr<mlir::PassInstrumentation> watchMlirPasses(Recorder &recorder);

/// Registers callbacks that record LLVM's passes. Times do not include the recording. Must outlive the passes' run.
class LlvmPassWatch {
public:
  explicit LlvmPassWatch(Recorder &recorder);
  llvm::PassInstrumentationCallbacks &callbacks() { return callbacks_; }

private:
  void after(llvm::StringRef pass, const llvm::Module *module, llvm::StringRef on, bool changed);

  Recorder &recorder_;
  llvm::PassInstrumentationCallbacks callbacks_;
  std::vector<uint64_t> starts_; // of the running passes, the outermost first
};

} // namespace kiln::explorer
