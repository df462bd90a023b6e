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

/// Records what a schedule in the transform dialect does, whose passes run in pass managers of the interpreter: through
/// MLIR's actions, of the context. Changes by other operations than passes are one row before the next pass.
class ScheduleWatch {
public:
  ScheduleWatch(mlir::ModuleOp program, Recorder &recorder);
  ~ScheduleWatch();
  ScheduleWatch(const ScheduleWatch &) = delete;
  /// Records changes after the last pass. The program exists still.
  void finish();

private:
  class Implementation;
  mlir::MLIRContext &context_;
  std::unique_ptr<Implementation> implementation_;
};

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
