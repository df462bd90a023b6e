// The common base of both GPU code generators.
#pragma once
#include "backends/llvm/Target.h"

namespace kiln {

class GpuTarget : public Target {
public:
  using Target::Target;

  bool hasAssembly() const override { return true; }
  ocl::TargetAttr describe(mlir::MLIRContext &context) const override;
  void addCommonPasses(mlir::OpPassManager &passes, const PassReports &reports) const override;
  void addLoweringPasses(mlir::OpPassManager &passes, const PassReports &reports) const override;
  void completePlan(KernelInfo &info, RecordedPlan &values) const override;
  bool prepare(llvm::Module &module, const CodeOptions &options, std::string &error) const override;
  void optimise(llvm::Module &module, Effort effort, const CodeOptions &options) const override;
  void extendPipeline(llvm::PassBuilder &builder) const override;

protected:
  virtual ocl::TargetKind kind() const = 0;
  virtual unsigned subGroupSize() const = 0;
  /// What passes may use.
  virtual ocl::TargetFeatures features() const { return {}; }
  /// Returns true if kernels with loops gain from a known local size.
  virtual bool gainsFromLocalSize() const { return false; }
  std::vector<uint64_t> subGroupSizes() const final { return {subGroupSize()}; }
  virtual llvm::StringRef mathLibrary() const = 0;
};

} // namespace kiln
