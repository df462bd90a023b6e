#include "backends/kilnc/compiler/Specialise.h"
#include "backends/kilnc/compiler/ExtractInfo.h"
#include "dialects/ocl/Ocl.h"
#include "passes/analysis/Reachable.h"

using namespace mlir;

namespace kiln {

static bool isKernel(func::FuncOp function, llvm::StringRef name) {
  return function->hasAttr(ocl::KernelAttr) && extractKernelInfo(function).name == name;
}

static std::string recordKnownArgument(func::FuncOp kernel, const protocol::KnownArgument &known) {
  auto kind = known.index < kernel.getNumArguments()
                  ? kernel.getArgAttrOfType<StringAttr>(known.index, ocl::ArgKindAttr)
                  : StringAttr();
  if (!kind || (kind != "image" && kind != "sampler"))
    return "argument " + std::to_string(known.index) + " of kernel '" + extractKernelInfo(kernel).name +
           "' is not an image or a sampler";
  kernel.setArgAttr(known.index, ocl::ArgConstantAttr,
                    IntegerAttr::get(IntegerType::get(kernel.getContext(), 32), int32_t(known.value)));
  return {};
}

std::string recordKnownArguments(ModuleOp module, const protocol::BuildRequest &request) {
  for (const protocol::Specialisation &wanted : request.specialisations)
    for (auto kernel : module.getOps<func::FuncOp>())
      for (const protocol::KnownArgument &known : wanted.known)
        if (isKernel(kernel, wanted.kernel))
          if (std::string error = recordKnownArgument(kernel, known); !error.empty())
            return error;
  return {};
}

std::string setSubGroupSizes(ModuleOp module, uint64_t size, llvm::ArrayRef<uint64_t> sizesOfDevice) {
  if (llvm::is_contained(sizesOfDevice, size))
    for (auto kernel : module.getOps<func::FuncOp>())
      if (kernel->hasAttr(ocl::KernelAttr) && !kernel->hasAttr(ocl::SubGroupSizeAttr))
        kernel->setAttr(ocl::SubGroupSizeAttr,
                        IntegerAttr::get(IntegerType::get(module.getContext(), 64), int64_t(size)));
  for (auto kernel : module.getOps<func::FuncOp>()) {
    auto required = kernel->getAttrOfType<IntegerAttr>(ocl::SubGroupSizeAttr);
    if (!required || llvm::is_contained(sizesOfDevice, uint64_t(required.getInt())))
      continue;
    std::string list;
    for (uint64_t one : sizesOfDevice)
      list += (list.empty() ? "" : ", ") + std::to_string(one);
    return ("the required sub-group size of kernel '" + kernel.getName() + "' is " + Twine(required.getInt()) +
            ", must be one of " + list)
        .str();
  }
  return {};
}

std::string keepSpecialised(ModuleOp module, const protocol::BuildRequest &request) {
  if (request.specialisations.size() != 1)
    return "the request has " + std::to_string(request.specialisations.size()) + " specialisations, must have one";
  const protocol::Specialisation &wanted = request.specialisations.front();
  SmallVector<func::FuncOp> all(module.getOps<func::FuncOp>()), kernel;
  llvm::copy_if(all, std::back_inserter(kernel),
                [&](func::FuncOp function) { return isKernel(function, wanted.kernel); });
  if (kernel.empty()) {
    std::string names;
    for (func::FuncOp function : all)
      if (function->hasAttr(ocl::KernelAttr))
        names += (names.empty() ? "" : ", ") + function.getName().str();
    return "there is no kernel '" + wanted.kernel + "'; the module has " + (names.empty() ? "none" : names);
  }
  llvm::DenseSet<Operation *> needed = reachable(module, kernel);
  for (func::FuncOp function : all)
    if (!needed.contains(function))
      function.erase();
  return {};
}

} // namespace kiln
