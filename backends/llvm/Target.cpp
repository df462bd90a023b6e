#include "backends/llvm/Target.h"
#include "backends/llvm/TripleParameter.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"

namespace kiln {

std::unique_ptr<llvm::TargetMachine> createMachine(llvm::StringRef triple, llvm::StringRef processor,
                                                   llvm::StringRef features, llvm::Reloc::Model relocation,
                                                   std::string &error) {
  llvm::Triple parsed(triple);
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(parsed, error);
  if (!target)
    return nullptr;
  // LLVM writes an unknown processor to standard error. So this checks the name first, with an empty one.
  std::unique_ptr<llvm::MCSubtargetInfo> known(target->createMCSubtargetInfo(tripleParameter(parsed), "", ""));
  if (!known || !known->isCPUStringValid(processor)) {
    error = "unknown processor '" + processor.str() + "'";
    return nullptr;
  }
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      parsed, processor, features, llvm::TargetOptions(), relocation, std::nullopt, llvm::CodeGenOptLevel::Default));
}

void setProcessor(llvm::Function &function, const llvm::TargetMachine &machine) {
  function.addFnAttr("target-cpu", machine.getTargetCPU());
  function.removeFnAttr("target-features");
  if (!machine.getTargetFeatureString().empty())
    function.addFnAttr("target-features", machine.getTargetFeatureString());
  function.addFnAttr(llvm::Attribute::NoUnwind);
}

void setProcessor(llvm::Module &module, const llvm::TargetMachine &machine) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      setProcessor(function, machine);
}

uint64_t RecordedPlan::operator[](llvm::StringRef name) {
  if (auto value = kernel_->getAttrOfType<mlir::IntegerAttr>(name))
    return uint64_t(value.getInt());
  kernel_.emitError() << "the passes recorded no " << name << " on function '" << kernel_.getName()
                      << "'; wg-lower-parallel does for a CPU, gpu-lower-entries for a GPU";
  result_ = llvm::failure();
  return 0;
}

} // namespace kiln
