#include "dialects/ocl/Target.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace kiln::ocl {

static constexpr std::pair<TargetFeature, StringLiteral> FeatureNames[] = {
#define KILN_TARGET_FEATURE(Name, name, x86) {TargetFeature::Name, #name},
#include "dialects/ocl/TargetFeatures.def"
};

static FailureOr<TargetFeatures> parseTargetFeatures(AsmParser &parser) {
  TargetFeatures features;
  auto one = [&]() -> ParseResult {
    StringRef word;
    const SMLoc at = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return failure();
    for (auto [feature, name] : FeatureNames)
      if (name == word) {
        features.add(feature);
        return success();
      }
    return parser.emitError(at) << "no feature of a target is called '" << word << "'";
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, one))
    return failure();
  return features;
}

static void printTargetFeatures(AsmPrinter &printer, const TargetFeatures &features) {
  SmallVector<StringRef> names;
  for (auto [feature, name] : FeatureNames)
    if (features.contains(feature))
      names.push_back(name);
  printer << "[" << llvm::join(names, ", ") << "]";
}

} // namespace kiln::ocl

#define GET_ATTRDEF_CLASSES
#include "dialects/ocl/Ocl.attr.cpp.inc"

namespace kiln::ocl {

void OclDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/ocl/Ocl.attr.cpp.inc"
      >();
}

LogicalResult TargetAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, TargetKind kind, StringRef,
                                 unsigned machineWidth, unsigned registerBits, unsigned vectorRegisters,
                                 unsigned subGroupSize, TargetFeatures) {
  const bool isCpu = kind == TargetKind::cpu;
  if (isCpu && (!machineWidth || !registerBits || registerBits % 32 || !vectorRegisters))
    return emitError() << "a CPU's machine_width is " << machineWidth << ", register_bits " << registerBits
                       << " and vector_registers " << vectorRegisters
                       << "; must be at least 1, a multiple of 32 and at least 1";
  if (!isCpu && subGroupSize != 32 && subGroupSize != 64)
    return emitError() << "a GPU's sub_group_size is " << subGroupSize << ", must be 32 or 64";
  return success();
}

TargetAttr TargetAttr::withMachineWidth(unsigned width) const {
  return get(getContext(), getKind(), getChip(), width, getRegisterBits(), getVectorRegisters(), getSubGroupSize(),
             getFeatures());
}

LogicalResult OclDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == TargetAttr::name && !(isa<ModuleOp>(op) && isa<TargetAttr>(attribute.getValue())))
    return op->emitError() << "ocl.target must be #ocl.target<...> on a module";
  if (attribute.getName() == LocalSizeAttr) {
    auto size = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
    const bool isSize =
        size && size.size() == 3 && llvm::all_of(size.asArrayRef(), [](int64_t items) { return items > 0; });
    if (!isSize || !isa<ModuleOp>(op))
      return op->emitError() << "ocl.local_size must be three positive numbers, array<i64: x, y, z>, on a module";
  }
  return success();
}

TargetAttr targetOf(ModuleOp module, StringRef pass) {
  auto target = module->getAttrOfType<TargetAttr>(TargetAttr::name);
  if (!target)
    module.emitError() << pass
                       << ": the module has no ocl.target, which says what code is compiled for; kilnc sets it, "
                       << "and ocl-set-target does in kiln-opt";
  return target;
}

static TargetAttr targetOfKind(ModuleOp module, StringRef pass, bool isCpu) {
  const TargetAttr target = targetOf(module, pass);
  if (!target || target.isCpu() == isCpu)
    return target;
  module.emitError() << pass << ": ocl.target is " << stringifyTargetKind(target.getKind()) << ", must be "
                     << (isCpu ? "cpu" : "nvptx or amdgpu");
  return {};
}

TargetAttr cpuTargetOf(ModuleOp module, StringRef pass) { return targetOfKind(module, pass, /*isCpu=*/true); }
TargetAttr gpuTargetOf(ModuleOp module, StringRef pass) { return targetOfKind(module, pass, /*isCpu=*/false); }

void setTarget(ModuleOp module, TargetAttr target) { module->setAttr(TargetAttr::name, target); }

ArrayRef<int64_t> fixedLocalSize(ModuleOp module) {
  auto size = module->getAttrOfType<DenseI64ArrayAttr>(LocalSizeAttr);
  return size ? size.asArrayRef() : ArrayRef<int64_t>();
}

} // namespace kiln::ocl
