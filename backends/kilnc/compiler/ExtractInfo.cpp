#include "backends/kilnc/compiler/ExtractInfo.h"
#include "dialects/ocl/Ocl.h"
#include "passes/analysis/ArgumentLayout.h"

using namespace mlir;

namespace kiln {
namespace {

std::array<uint64_t, 3> sizes(Operation *op, StringRef name) {
  std::array<uint64_t, 3> result{};
  if (auto list = op->getAttrOfType<DenseI64ArrayAttr>(name); list && list.size() == 3)
    std::copy(list.asArrayRef().begin(), list.asArrayRef().end(), result.begin());
  return result;
}

ArgInfo extractArgumentInfo(func::FuncOp kernel, unsigned index, ArgumentSlot slot) {
  ArgInfo info;
  info.offset = slot.offset, info.size = slot.size;
  auto text = [&](StringRef name) {
    auto value = kernel.getArgAttrOfType<StringAttr>(index, name);
    return value ? value.str() : std::string();
  };
  auto number = [&](StringRef name) -> int64_t {
    auto value = kernel.getArgAttrOfType<IntegerAttr>(index, name);
    return value ? value.getInt() : 0;
  };
  info.name = text(ocl::ArgNameAttr), info.typeName = text(ocl::ArgTypeNameAttr);
  info.typeQualifiers = number(ocl::ArgQualifiersAttr);
  info.access = AccessQualifier(number(ocl::ArgAccessAttr));
  const std::string kind = text(ocl::ArgKindAttr);
  if (kind == "queue")
    info.kind = ArgKind::Queue;
  if (kind == "sampler")
    info.kind = ArgKind::Sampler;
  if (kind == "image") {
    info.kind = ArgKind::Image;
    info.imageType = number(ocl::ArgImageTypeAttr), info.depth = bool(kernel.getArgAttr(index, ocl::ArgDepthAttr));
    info.read = info.access != AccessQualifier::WriteOnly, info.written = info.access != AccessQualifier::ReadOnly;
  }
  auto pointer = dyn_cast<LLVM::LLVMPointerType>(kernel.getArgumentTypes()[index]);
  if (pointer && !kernel.getArgAttr(index, ocl::ArgByValueAttr)) {
    info.kind = pointer.getAddressSpace() == ocl::Local      ? ArgKind::Local
                : pointer.getAddressSpace() == ocl::Constant ? ArgKind::Constant
                : kind == "pipe"                             ? ArgKind::Pipe
                                                             : ArgKind::Global;
    if (auto most = kernel.getArgAttrOfType<IntegerAttr>(index, ocl::ArgMaxBytesAttr))
      info.maxBytes = most.getInt();
    info.read = !kernel.getArgAttr(index, ocl::ArgNoReadAttr);
    info.written =
        (info.kind == ArgKind::Global || info.kind == ArgKind::Pipe) && !kernel.getArgAttr(index, ocl::ArgNoWriteAttr);
  }
  return info;
}
} // namespace

KernelInfo extractKernelInfo(func::FuncOp kernel) {
  KernelInfo info;
  info.name = kernel.getName().str();
  if (auto name = kernel->getAttrOfType<StringAttr>(ocl::KernelAttr))
    info.name = name.str(); // the symbol differs from the kernel's name
  if (auto attributes = kernel->getAttrOfType<StringAttr>(ocl::AttributesAttr))
    info.attributes = attributes.str();
  info.role = kernel->hasAttr(ocl::InitializerAttr) ? KernelRole::Initializer
              : kernel->hasAttr(ocl::FinalizerAttr) ? KernelRole::Finalizer
              : kernel->hasAttr(ocl::BlockAttr)     ? KernelRole::Block
                                                    : KernelRole::Kernel;
  if (auto number = kernel->getAttrOfType<IntegerAttr>(ocl::BlockAttr))
    info.block = number.getInt();
  info.requiredLocalSize = sizes(kernel, ocl::RequiredSizeAttr);
  info.localSizeHint = sizes(kernel, ocl::SizeHintAttr);
  if (auto size = kernel->getAttrOfType<IntegerAttr>(ocl::SubGroupSizeAttr))
    info.requiredSubGroupSize = uint64_t(size.getInt());
  if (auto count = kernel->getAttrOfType<IntegerAttr>(ocl::SubGroupCountAttr))
    info.requiredSubGroups = uint64_t(count.getInt());
  ArgumentLayout layout(kernel);
  info.argumentBytes = layout.bytes;
  for (unsigned index = 0; index < layout.slots.size(); ++index)
    info.args.push_back(extractArgumentInfo(kernel, index, layout.slots[index]));
  return info;
}

ProgramVariables extractVariables(ModuleOp module) {
  ProgramVariables info;
  auto block = module->getAttrOfType<DictionaryAttr>(ocl::ProgramVariablesAttr);
  if (!block)
    return info;
  auto number = [&](StringRef name) -> uint64_t {
    auto value = block.getAs<IntegerAttr>(name);
    return value ? value.getInt() : 0;
  };
  info.size = number("size"), info.largest = number("largest");
  info.alignment = std::max<uint64_t>(number("alignment"), 1);
  if (auto image = block.getAs<DenseI8ArrayAttr>("image"))
    info.image.assign(image.asArrayRef().begin(), image.asArrayRef().end());
  if (auto pairs = block.getAs<DenseI64ArrayAttr>("relocations"))
    for (size_t i = 0; i + 1 < size_t(pairs.size()); i += 2)
      info.relocations.push_back({uint64_t(pairs[i]), uint64_t(pairs[i + 1])});
  module->removeAttr(ocl::ProgramVariablesAttr);
  return info;
}

PrintfTables extractPrintfTables(ModuleOp module) {
  PrintfTables info;
  auto strings = module->getAttrOfType<ArrayAttr>(ocl::PrintfStringsAttr);
  auto signatures = module->getAttrOfType<ArrayAttr>(ocl::PrintfSignaturesAttr);
  if (!strings || !signatures)
    return info;
  for (auto text : strings.getAsRange<StringAttr>())
    info.strings.push_back(text.str());
  for (auto bytes : signatures.getAsRange<DenseI8ArrayAttr>()) {
    std::vector<PrintfArgument> &signature = info.signatures.emplace_back();
    for (size_t i = 0; i + 2 < size_t(bytes.size()); i += 3)
      signature.push_back({PrintfArgument::Kind(bytes[i]), uint8_t(bytes[i + 1]), uint8_t(bytes[i + 2])});
  }
  module->removeAttr(ocl::PrintfStringsAttr);
  module->removeAttr(ocl::PrintfSignaturesAttr);
  return info;
}

std::vector<wire::Bytes> extractCheckSites(LLVM::LLVMFuncOp kernel) {
  std::vector<wire::Bytes> sites;
  if (auto list = kernel->getAttrOfType<ArrayAttr>(ocl::CheckSitesAttr))
    for (auto site : list.getAsRange<StringAttr>())
      sites.emplace_back(site.getValue().bytes_begin(), site.getValue().bytes_end());
  kernel->removeAttr(ocl::CheckSitesAttr);
  return sites;
}

void limitToRequiredSize(KernelInfo &info) {
  auto &required = info.requiredLocalSize;
  if (required[0])
    info.plan.maxWorkGroupSize = std::min(info.plan.maxWorkGroupSize, required[0] * required[1] * required[2]);
  if (info.requiredSubGroups)
    info.plan.maxWorkGroupSize = std::min(info.plan.maxWorkGroupSize, info.requiredSubGroups * info.plan.subGroupSize);
}

} // namespace kiln
