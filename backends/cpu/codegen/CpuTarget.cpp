#include "backends/cpu/codegen/CpuTarget.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"

namespace kiln {

std::unique_ptr<llvm::TargetMachine> createCpuMachine(const std::string &name, std::string &error) {
  static bool initialised = (llvm::InitializeNativeTarget(), llvm::InitializeNativeTargetAsmPrinter(), true);
  (void)initialised;
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  std::string cpu = name, features;
  if (name.empty()) {
    cpu = llvm::sys::getHostCPUName().str();
    for (auto &[feature, present] : llvm::sys::getHostCPUFeatures())
      features += (features.empty() ? "" : ",") + std::string(present ? "+" : "-") + feature.str();
  }
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, cpu, features, llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt,
                                  llvm::CodeGenOptLevel::Default));
  if (!machine->getMCSubtargetInfo()->isCPUStringValid(cpu)) {
    error = "unknown processor '" + cpu + "'";
    return nullptr;
  }
  return machine;
}

unsigned vectorLanes(const llvm::TargetMachine &machine) {
  const llvm::MCSubtargetInfo &info = *machine.getMCSubtargetInfo();
  if (info.checkFeatures("+avx512f"))
    return 16;
  return info.checkFeatures("+avx2") ? 8 : 4;
}

} // namespace kiln
