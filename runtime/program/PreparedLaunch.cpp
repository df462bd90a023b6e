#include "runtime/program/PreparedLaunch.h"

namespace kiln {

void PreparedLaunch::selectCode(DeviceKernel &kernel, const std::shared_ptr<const DeviceProgram> &program,
                                const std::vector<protocol::KnownArgument> &known) {
  bool whole = true;
  for (size_t d = 0; d < 3; ++d)
    whole &= launch.globalSize[d] % launch.localSize[d] == 0;
  setCode(isEmpty() ? kernel.generic : kernel.functionFor(program, launch.localSize, whole, known, variant),
          kernel.info.plan, program);
}

void PreparedLaunch::setCode(Function *function, const KernelPlan &plan,
                             const std::shared_ptr<const DeviceProgram> &program) {
  launch.function = function;
  launch.plan = &plan;
  launch.programVariables = program->variables();
  if (plan.prints && !isEmpty())
    output = std::make_unique<PrintfOutput>(program);
  launch.arguments = arguments->data;
  launch.argumentBytes = arguments->size;
}

Status PreparedLaunch::checkLocalBytes(const DeviceInfo &limits, const std::string &kernel) const {
  if (launch.localBytes > limits.localMemSize)
    return fail(CL_OUT_OF_RESOURCES, "a work-group of kernel ", kernel, " needs ", launch.localBytes,
                " bytes of local memory, the device has ", limits.localMemSize);
  return {};
}

} // namespace kiln
