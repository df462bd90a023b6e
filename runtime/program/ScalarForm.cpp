#include "runtime/program/ScalarForm.h"
#include <algorithm>

namespace kiln {

Result<std::unique_ptr<ScalarForm>> ScalarForm::build(Device &device, protocol::BuildRequest request,
                                                      const ProgramInfo &normal) {
  request.scalar = true;
  std::unique_ptr<ScalarForm> form(new ScalarForm);
  form->built_ = Compiler::get().build(std::move(request));
  const CodeResult &built = form->built_;
  if (!built.ok || !built.code)
    return fail(CL_BUILD_PROGRAM_FAILURE, built.log);
  if (built.info.variables != normal.variables || built.info.printf != normal.printf)
    return fail(CL_INVALID_PROGRAM_EXECUTABLE,
                "layout of program variables or printf tables differs, must be that of the normal form");
  std::string log; // the build log has the driver's messages for the normal form
  form->code_ = KILN_TRY(Compiler::get().load(device, built, log));
  for (const KernelInfo &kernel : built.info.kernels)
    if (kernel.role == KernelRole::Kernel)
      form->kernels_[kernel.name] = {&kernel, KILN_TRY(form->code_.code->function(kernel))};
  return form;
}

const ScalarForm::Kernel *ScalarForm::kernel(const KernelInfo &normal) const {
  auto found = kernels_.find(normal.name);
  if (found == kernels_.end())
    return nullptr;
  const KernelInfo &info = *found->second.info;
  const bool same = info.argumentBytes == normal.argumentBytes &&
                    info.plan.staticLocalBytes == normal.plan.staticLocalBytes &&
                    std::ranges::equal(info.args, normal.args, [](const ArgInfo &a, const ArgInfo &b) {
                      return a.kind == b.kind && a.offset == b.offset && a.size == b.size;
                    });
  return same ? &found->second : nullptr;
}

} // namespace kiln
