// What the two GPU code generators do alike.
#pragma once
#include "backends/llvm/Target.h"

namespace kiln {

class GpuTarget : public Target {
public:
  using Target::Target;

  void addCommonPasses(mlir::OpPassManager &passes) const override;
  void addLoweringPasses(mlir::OpPassManager &passes, const TargetVariant &variant) const override;
  void completePlan(KernelInfo &info, mlir::LLVM::LLVMFuncOp function) const override;
  bool prepare(llvm::Module &module, const CodeOptions &options, std::string &error) const override;
  void optimise(llvm::Module &module, Effort effort, const CodeOptions &options) const override;

protected:
  /// As gpu::Hardware knows it.
  virtual llvm::StringRef kind() const = 0;
  virtual unsigned subGroupSize() const = 0;
  std::vector<uint64_t> subGroupSizes() const final { return {subGroupSize()}; }
  virtual llvm::StringRef mathLibrary() const = 0;

  /// GPU code is made of the whole module at once: what all of its kernels deserve.
  static Effort leastEffort(llvm::ArrayRef<EntryCode> entries);
};

} // namespace kiln
