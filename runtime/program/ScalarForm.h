// A program's kernels in the scalar form: one work-item at a time, by Kiln's own passes whatever KILN_PIPELINE_CPU and
// KILN_PASS_PLUGINS are. The cross-check (runtime/crosscheck) runs it beside the form that launches use.
#pragma once
#include "backends/Device.h"
#include "runtime/compiler/Compiler.h"
#include <map>
#include <memory>

namespace kiln {

class ScalarForm {
public:
  struct Kernel {
    const KernelInfo *info;
    Function *function;
  };
  /// Compiles `request` in the scalar form and loads it. CL_BUILD_PROGRAM_FAILURE with the compiler's log;
  /// CL_INVALID_PROGRAM_EXECUTABLE if its program variables or printf tables are not those of `usual`, as the two forms
  /// share variables and records are compared.
  static Result<std::unique_ptr<ScalarForm>> build(Device &device, protocol::BuildRequest request,
                                                   const ProgramInfo &usual);

  /// Null if the form has no kernel of this name that takes the argument block and the local memory of `usual`.
  const Kernel *kernel(const KernelInfo &usual) const;

private:
  CodeResult built_; // its file outlives the code
  std::unique_ptr<Code> code_;
  std::map<std::string, Kernel> kernels_;
};

} // namespace kiln
