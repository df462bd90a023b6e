#include "runtime/program/ScalarForm.h"
#include <algorithm>

namespace kiln {

Result<std::unique_ptr<ScalarForm>> ScalarForm::build(Device &device, protocol::BuildRequest request,
                                                      const ProgramInfo &usual) {
  request.scalar = true;
  std::unique_ptr<ScalarForm> form(new ScalarForm);
  form->built_ = Compiler::get().build(std::move(request));
  const CodeResult &built = form->built_;
  if (!built.ok || !built.code)
    return fail(CL_BUILD_PROGRAM_FAILURE, built.log);
  if (built.info.variables != usual.variables || built.info.printf != usual.printf)
    return fail(CL_INVALID_PROGRAM_EXECUTABLE,
                "layout of program variables or printf tables differs, must be that of the usual form");
  std::string log; // the driver's words on the usual form are in the build log
  form->code_ = KILN_TRY(device.load(built.code->path(), built.info, log));
  for (const KernelInfo &kernel : built.info.kernels)
    if (kernel.role == KernelRole::Kernel)
      form->kernels_[kernel.name] = {&kernel, KILN_TRY(form->code_->function(kernel))};
  return form;
}

const ScalarForm::Kernel *ScalarForm::kernel(const KernelInfo &usual) const {
  auto found = kernels_.find(usual.name);
  if (found == kernels_.end())
    return nullptr;
  const KernelInfo &info = *found->second.info;
  const bool same = info.argumentBytes == usual.argumentBytes &&
                    info.plan.staticLocalBytes == usual.plan.staticLocalBytes &&
                    std::ranges::equal(info.args, usual.args, [](const ArgInfo &a, const ArgInfo &b) {
                      return a.kind == b.kind && a.offset == b.offset && a.size == b.size;
                    });
  return same ? &found->second : nullptr;
}

} // namespace kiln
