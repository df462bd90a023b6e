// The common base of both GPU code generators.
#pragma once
#include "backends/llvm/Target.h"

namespace kiln {

class GpuTarget : public Target {
public:
  using Target::Target;

  bool hasAssembly() const override { return true; }
  void addCommonPasses(mlir::OpPassManager &passes) const override;
  void addLoweringPasses(mlir::OpPassManager &passes, const TargetVariant &variant) const override;
  void completePlan(KernelInfo &info, mlir::LLVM::LLVMFuncOp function) const override;
  bool prepare(llvm::Module &module, const CodeOptions &options, std::string &error) const override;
  void optimise(llvm::Module &module, Effort effort, const CodeOptions &options) const override;
  void extendPipeline(llvm::PassBuilder &builder) const override;

protected:
  /// The name of the gpu::GpuTargetInfo: "nvptx" or "amdgpu".
  virtual llvm::StringRef kind() const = 0;
  virtual unsigned subGroupSize() const = 0;
  /// Returns true if an instruction reduces the 32-bit integers of a sub-group.
  virtual bool hasReduceInstruction() const { return false; }
  /// Returns true if kernels read images through texture objects (Device::createTexture).
  virtual bool hasTextures() const { return false; }
  /// Returns true if kernels with loops gain from a known local size.
  virtual bool gainsFromLocalSize() const { return false; }
  /// Returns true if some of a work-group's sub-groups can wait for each other.
  virtual bool hasPartialBarriers() const { return false; }
  std::vector<uint64_t> subGroupSizes() const final { return {subGroupSize()}; }
  virtual llvm::StringRef mathLibrary() const = 0;
};

} // namespace kiln
