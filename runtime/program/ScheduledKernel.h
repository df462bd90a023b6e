// One kernel that is compiled with a schedule of the user instead of Kiln's passes.
#pragma once
#include "backends/Device.h"
#include "runtime/compiler/Compiler.h"
#include "runtime/program/Schedules.h"
#include <memory>

namespace kiln {

class ScheduledKernel {
public:
  /// Compiles the kernel alone and loads it. `normal` is the kernel in `program`, as Kiln's passes compiled it.
  /// CL_BUILD_PROGRAM_FAILURE with the schedule's file and the reason: the compiler's log, or a result that does not
  /// fit the program: another layout of its variables, printf tables or arguments.
  static Result<std::unique_ptr<ScheduledKernel>> build(Device &device, protocol::BuildRequest request,
                                                        const Schedule &schedule, const ProgramInfo &program,
                                                        const KernelInfo &normal);

  const Schedule &schedule() const { return schedule_; }
  const KernelInfo &info() const { return info_; }
  Function *function() const { return function_; }

private:
  explicit ScheduledKernel(const Schedule &schedule) : schedule_(schedule) {}
  const Schedule schedule_;
  KernelInfo info_;
  CodeResult built_;
  LoadedCode code_;
  Function *function_ = nullptr;
};

} // namespace kiln
