// A program's kernels in the scalar form: one work-item at a time, compiled with Kiln's own passes regardless of
// KILN_PIPELINE_CPU and KILN_PASS_PLUGINS. The cross-check (runtime/crosscheck) runs it next to the form that launches
// use.
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
  /// CL_INVALID_PROGRAM_EXECUTABLE if its program variables or printf tables differ from those of `normal`, because the
  /// two forms share variables and their records are compared.
  static Result<std::unique_ptr<ScalarForm>> build(Device &device, protocol::BuildRequest request,
                                                   const ProgramInfo &normal);

  /// Returns null unless the form has a kernel of this name with the argument block and local memory of `normal`.
  const Kernel *kernel(const KernelInfo &normal) const;

private:
  CodeResult built_;
  LoadedCode code_;
  std::map<std::string, Kernel> kernels_;
};

} // namespace kiln
