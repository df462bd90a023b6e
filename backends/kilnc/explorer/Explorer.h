// Records one compilation for the explorer: `kilnc --explore` and KILN_EXPLORE.
#pragma once
#include "backends/kilnc/explorer/PassWatch.h"
#include "backends/llvm/Target.h"
#include "base/protocol/Protocol.h"
#include "mlir/IR/Diagnostics.h"

namespace kiln::explorer {

class Explorer {
public:
  explicit Explorer(const protocol::BuildRequest &request);

  void addModule(const wire::Bytes &spirv);
  /// Adds the module as a stage of MLIR.
  void addStage(llvm::StringRef name, mlir::ModuleOp module);
  /// Records the passes that `passes` runs.
  void watch(mlir::PassManager &passes);
  /// Records the passes of a schedule in the transform dialect while the result lives.
  ScheduleWatch watchSchedule(mlir::ModuleOp program) { return {program, recorder_}; }
  /// Records a diagnostic if it is a remark, and returns whether it is.
  bool addRemark(mlir::Diagnostic &diagnostic);
  void addKernels(llvm::ArrayRef<KernelInfo> kernels);
  /// Records LLVM's passes and the assembly of a prepared module, compiled as Target::finish does. Leaves the module
  /// unchanged.
  void addCode(const llvm::Module &module, const Target &target, llvm::ArrayRef<EntryCode> entries,
               const CodeOptions &options);

  /// The names of the source files that the variant refers to.
  const std::vector<std::string> &files() const { return recorder_.files(); }
  /// Returns the variant as a JSON object.
  std::string json(llvm::StringRef log) {
    recorder_.setLog(log);
    return recorder_.json();
  }

private:
  Recorder recorder_;
};

} // namespace kiln::explorer
