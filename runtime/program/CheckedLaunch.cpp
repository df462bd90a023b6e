#include "runtime/program/CheckedLaunch.h"

namespace kiln {

void CheckedLaunch::selectCode(DeviceKernel &kernel, const std::shared_ptr<const DeviceProgram> &program,
                               const std::vector<protocol::KnownArgument> &known) {
  bool whole = true;
  for (size_t d = 0; d < 3; ++d)
    whole &= grid.globalSize[d] % grid.localSize[d] == 0;
  const uint64_t items = grid.globalSize[0] * grid.globalSize[1] * grid.globalSize[2];
  DeviceKernel::Selection selection{kernel.generic()};
  if (!isEmpty())
    selection = kernel.select(program, grid.localSize, whole, items, known);
  variant = std::move(selection.code);
  upgrade = std::move(selection.upgrade), trial = std::move(selection.trial);
  setCode(selection.function, kernel.info.plan, program);
  grid.upgrade = upgrade.get(), grid.trial = trial.get();
  awaited = grid.function ? nullptr : &kernel;
}

void CheckedLaunch::setCode(Function *function, const KernelPlan &plan,
                            const std::shared_ptr<const DeviceProgram> &program) {
  grid.function = function;
  grid.plan = &plan;
  grid.programVariables = program->variables();
  if (plan.prints && !isEmpty())
    output = std::make_unique<PrintfOutput>(program);
  grid.arguments = arguments->data;
  grid.argumentBytes = arguments->size;
}

Status CheckedLaunch::checkLocalBytes(const DeviceInfo &limits, const std::string &kernel) const {
  if (grid.localBytes > limits.localMemSize)
    return fail(CL_OUT_OF_RESOURCES, "a work-group of kernel ", kernel, " needs ", grid.localBytes,
                " bytes of local memory, the device has ", limits.localMemSize);
  return {};
}

} // namespace kiln
