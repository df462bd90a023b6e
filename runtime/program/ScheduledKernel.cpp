#include "runtime/program/ScheduledKernel.h"
#include <algorithm>

namespace kiln {
namespace {

/// Returns true if both have the same argument block.
bool haveSameArguments(const KernelInfo &one, const KernelInfo &other) {
  return one.argumentBytes == other.argumentBytes &&
         std::ranges::equal(one.args, other.args, [](const ArgInfo &a, const ArgInfo &b) {
           return a.kind == b.kind && a.offset == b.offset && a.size == b.size;
         });
}

} // namespace

Result<std::unique_ptr<ScheduledKernel>> ScheduledKernel::build(Device &device, protocol::BuildRequest request,
                                                                const Schedule &schedule, const ProgramInfo &program,
                                                                const KernelInfo &normal) {
  auto wrong = [&](std::string_view reason) {
    return fail(CL_BUILD_PROGRAM_FAILURE, "error: schedule ", schedule.path, " of kernel ", normal.name, ": ", reason);
  };
  std::unique_ptr<ScheduledKernel> kernel(new ScheduledKernel(schedule));
  schedule.applyTo(request);
  request.specialisations = {{normal.name}};
  kernel->built_ = Compiler::get().build(std::move(request));
  const CodeResult &built = kernel->built_;
  if (!built.ok || !built.code)
    return wrong(built.log);
  const auto found = std::ranges::find(built.info.kernels, normal.name, &KernelInfo::name);
  if (found == built.info.kernels.end())
    return wrong("the pipeline removed the kernel");
  if (built.info.variables != program.variables)
    return wrong("the layout of program variables differs from that of the other kernels");
  if (built.info.printf != program.printf)
    return wrong("the formats of printf differ from those of the program; all must be in this kernel");
  if (!haveSameArguments(*found, normal))
    return wrong("the kernel's arguments differ from those of Kiln's own passes");
  kernel->info_ = *found;
  // Facts about the source, which a pipeline does not change.
  kernel->info_.plan.hasBarrier = normal.plan.hasBarrier;
  kernel->info_.plan.traits = normal.plan.traits;
  kernel->info_.plan.prefersFixedLocalSize |= normal.plan.prefersFixedLocalSize;
  std::string log;
  kernel->code_ = KILN_TRY(Compiler::get().load(device, built, log));
  kernel->function_ = KILN_TRY(kernel->code_.code->function(kernel->info_));
  return kernel;
}

} // namespace kiln
