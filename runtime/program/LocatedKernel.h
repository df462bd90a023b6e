// One kernel of a program in a form that shows where its code is: scalar code that is not optimised. The located form
// notes, before each access to memory, its source line and its work-item (base/abi/AccessNote.h); the replay of a fault
// runs it (FaultReplay.h). The debugged form describes its variables to gdb (DebuggedLaunch.h).
//
// It is compiled when it is needed, from the program's source, because only then the SPIR-V has lines. Modules that
// were not made from source have the lines that are in their SPIR-V, often none.
//
// Not handled: a header on the disk that has changed since the build. If the kernel has other arguments then, it has
// neither form.
#pragma once
#include "runtime/compiler/Compiler.h"
#include "runtime/program/Binary.h"

namespace kiln {

class LocatedKernel {
public:
  enum class Form { Located, Debugged };
  /// The normal form: the program and the kernel's generic variant.
  struct Normal {
    const ProgramInfo &program;
    const KernelInfo &kernel;
  };
  /// CL_BUILD_PROGRAM_FAILURE with the compiler's log; CL_INVALID_PROGRAM_EXECUTABLE if a launch of the normal form
  /// does not fit: the two share arguments, local memory and program variables.
  static Result<std::unique_ptr<LocatedKernel>> build(Device &device, protocol::BuildRequest request,
                                                      const std::vector<ModuleOrigin> &origins, const Normal &normal,
                                                      Form form);

  Function *function() const { return function_; }
  const KernelPlan &plan() const { return info_.plan; }
  /// The text of a line, without the white space around it. Empty if the text of the file is not known.
  std::string sourceLine(const std::string &file, size_t line) const;

private:
  CodeResult built_;
  LoadedCode code_;
  KernelInfo info_;
  Function *function_ = nullptr;
  std::vector<ModuleOrigin> origins_;
};

} // namespace kiln
