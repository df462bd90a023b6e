// What the two GPU back ends call differently: where a work-item finds its place, how it waits, which number an address
// space has, how an entry point is marked. Everything else about lowering to a GPU stands once, in the passes beside
// this.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "mlir/IR/Builders.h"
#include <array>

namespace kiln::gpu {

/// The largest work-group that any of the processors runs, and the largest of each dimension.
inline constexpr int64_t MaxGroupSize = 1024;
inline constexpr std::array<int64_t, 3> MaxGroupDims = {1024, 1024, 64};

enum class Approximate { Exp2, Log2, Sin, Cos };

class Hardware {
public:
  virtual ~Hardware() = default;

  /// Of "nvptx" or "amdgpu"; null for any other name.
  static const Hardware *named(llvm::StringRef target);

  // Where this work-item is, as i32. `size` is the group's extent in the dimension if it is known, 0 otherwise.
  virtual mlir::Value localId(mlir::OpBuilder &b, mlir::Location loc, unsigned dim, int64_t size) const = 0;
  virtual mlir::Value gridId(mlir::OpBuilder &b, mlir::Location loc, unsigned dim) const = 0;
  virtual mlir::Value localSize(mlir::OpBuilder &b, mlir::Location loc, unsigned dim) const = 0;
  /// Is the local size at hand, or does it have to be fetched from memory.
  virtual bool hasSizeRegister() const = 0;

  /// Work-items wait for each other. Orders the memory that `barrier` names among those who meet.
  virtual void barrier(mlir::OpBuilder &b, ocl::BarrierOp barrier) const = 0;

  /// Whether a generic pointer points into that space.
  virtual mlir::Value isIn(mlir::OpBuilder &b, mlir::Location loc, ocl::NamedSpace space, mlir::Value pointer) const = 0;

  /// The old value, where LLVM's own operation would not do; null otherwise.
  virtual mlir::Value atomic(mlir::OpBuilder &b, ocl::AtomicRmwOp op) const { return {}; }

  /// 1 / sqrt(x), within the two units in the last place that OpenCL allows.
  virtual mlir::Value reciprocalRoot(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x) const = 0;

  /// The hardware's own function of a single precision number.
  virtual mlir::Value approximate(mlir::OpBuilder &b, mlir::Location loc, Approximate function,
                                  mlir::Value x) const = 0;

  /// LLVM's name of a scope.
  virtual llvm::StringRef syncScope(ocl::Scope scope) const = 0;

  /// What tells LLVM that a fence is for some memory only, where it can be told; null otherwise.
  virtual mlir::Attribute fenceTag(mlir::MLIRContext *context, ocl::Fence memory) const { return {}; }

  virtual unsigned addressSpace(ocl::AddressSpace space) const = 0;
  /// Pointers of this space take four bytes in a register, where SPIR-V's layout gives them eight in memory.
  virtual bool isShortPointer(ocl::AddressSpace space) const = 0;
  /// The space that a struct in the parameters is read from.
  virtual ocl::AddressSpace parameterSpace() const = 0;
  /// The argument attribute that puts a struct into the parameters as it is.
  virtual llvm::StringRef inlineStructAttr() const = 0;

  /// Makes the function an entry point for groups of `size`, all zero: of any size.
  virtual void markKernel(mlir::LLVM::LLVMFuncOp function, const std::array<int64_t, 3> &size) const = 0;
};

/// LLVM's fence, or nothing where no other work-item could tell.
void fence(mlir::OpBuilder &b, mlir::Location loc, const Hardware &hardware, mlir::LLVM::AtomicOrdering order,
           ocl::Scope scope, ocl::Fence memory);

} // namespace kiln::gpu
