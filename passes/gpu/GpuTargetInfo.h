// The differences between the two GPU targets: ids, barriers, address-space numbers, attributes of entry points. All
// other code of the lowering is shared by both, in the passes of this folder.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Builders.h"
#include <array>

namespace kiln::gpu {

/// The largest work-group size of all processors, in total and per dimension.
inline constexpr int64_t MaxGroupSize = 1024;
inline constexpr std::array<int64_t, 3> MaxGroupDims = {1024, 1024, 64};

enum class Approximate { Exp2, Log2, Sin, Cos };

class GpuTargetInfo {
public:
  virtual ~GpuTargetInfo() = default;

  /// Returns the target named "nvptx" or "amdgpu"; null for other names.
  static const GpuTargetInfo *get(llvm::StringRef target);

  // Ids of the work-item, as i32. `size` is the constant local size in the dimension, or 0.
  virtual mlir::Value localId(mlir::OpBuilder &b, mlir::Location loc, unsigned dim, int64_t size) const = 0;
  virtual mlir::Value gridId(mlir::OpBuilder &b, mlir::Location loc, unsigned dim) const = 0;
  virtual mlir::Value localSize(mlir::OpBuilder &b, mlir::Location loc, unsigned dim) const = 0;
  /// Returns true if the local size is in a register, false if it is loaded from memory.
  virtual bool hasSizeRegister() const = 0;

  /// Builds a barrier that orders accesses to the memory of `barrier` among its work-items.
  virtual void barrier(mlir::OpBuilder &b, ocl::BarrierOp barrier) const = 0;

  /// Builds a test whether a generic pointer points into the address space.
  virtual mlir::Value isAddrSpace(mlir::OpBuilder &b, mlir::Location loc, ocl::NamedSpace space,
                                  mlir::Value pointer) const = 0;

  /// Builds an atomic that LLVM's atomicrmw does not implement correctly and returns the old value; null for others.
  virtual mlir::Value atomic(mlir::OpBuilder &b, ocl::AtomicRmwOp op) const { return {}; }

  /// Builds 1 / sqrt(x) with an error of at most 2 ulp, OpenCL's bound.
  virtual mlir::Value reciprocalRoot(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x) const = 0;

  /// Builds the hardware's approximate function of a single-precision number.
  virtual mlir::Value approximate(mlir::OpBuilder &b, mlir::Location loc, Approximate function,
                                  mlir::Value x) const = 0;

  /// Returns LLVM's sync scope.
  virtual llvm::StringRef syncScope(ocl::Scope scope) const = 0;

  /// Returns the MMRA that limits a fence to the given memory; null if the target has none.
  virtual mlir::Attribute fenceTag(mlir::MLIRContext *context, ocl::Fence memory) const { return {}; }

  virtual unsigned addressSpace(ocl::AddressSpace space) const = 0;
  /// Returns true if pointers of this space have 32 bits in registers. SPIR-V's layout has 64 in memory.
  virtual bool isShortPointer(ocl::AddressSpace space) const = 0;
  /// The address space of struct parameters.
  virtual ocl::AddressSpace parameterSpace() const = 0;
  /// The argument attribute that passes a struct inline in the parameters.
  virtual llvm::StringRef inlineStructAttr() const = 0;

  /// Marks the function as an entry point for groups of `size`; all zero: any size.
  virtual void markKernel(mlir::LLVM::LLVMFuncOp function, const std::array<int64_t, 3> &size) const = 0;
};

/// Builds LLVM's fence, or nothing if no other work-item can observe it.
void fence(mlir::OpBuilder &b, mlir::Location loc, const GpuTargetInfo &info, mlir::LLVM::AtomicOrdering order,
           ocl::Scope scope, ocl::Fence memory);

} // namespace kiln::gpu
