// Records LLVM's remarks: what its passes did to a loop or an access, what they did not and why, spills, registers.
#pragma once
#include "backends/kilnc/explorer/Recorder.h"
#include "llvm/IR/LLVMContext.h"

namespace kiln::explorer {

/// Records the context's remarks during its lifetime. Other diagnostics go to the handler that the context had before.
class RemarkWatch {
public:
  RemarkWatch(llvm::LLVMContext &context, Recorder &recorder);
  ~RemarkWatch();
  RemarkWatch(const RemarkWatch &) = delete;
  RemarkWatch &operator=(const RemarkWatch &) = delete;

private:
  class Handler;
  llvm::LLVMContext &context_;
  std::unique_ptr<llvm::DiagnosticHandler> before_;
};

} // namespace kiln::explorer
