// The differences between the two GPU targets: ids, barriers, address-space numbers, attributes of entry points. All
// other code of the lowering is shared by both, in the passes of this folder.
#pragma once
#include "dialects/ocl/Target.h"
#include "mlir/IR/Builders.h"
#include <array>
#include <optional>

namespace kiln::gpu {

/// The largest work-group size of all processors, in total and per dimension.
inline constexpr int64_t MaxGroupSize = 1024;
inline constexpr std::array<int64_t, 3> MaxGroupDims = {1024, 1024, 64};

enum class Approximate { Exp2, Log2, Sin, Cos };

class GpuTargetInfo {
public:
  virtual ~GpuTargetInfo() = default;

  /// Returns the functions of a GPU target.
  static const GpuTargetInfo &of(ocl::TargetAttr target);
  /// Returns those of the module's target. Null, with an error that names the pass, if `ocl.target` is missing or a
  /// CPU.
  static const GpuTargetInfo *of(mlir::ModuleOp module, llvm::StringRef pass);

  // Ids of the work-item, as i32. `size` is the largest local size in the dimension, or 0.
  virtual mlir::Value localId(mlir::OpBuilder &b, mlir::Location loc, unsigned dim, int64_t size) const = 0;
  virtual mlir::Value gridId(mlir::OpBuilder &b, mlir::Location loc, unsigned dim) const = 0;
  virtual mlir::Value localSize(mlir::OpBuilder &b, mlir::Location loc, unsigned dim) const = 0;
  /// Returns true if the local size is in a register, false if it is loaded from memory.
  virtual bool hasSizeRegister() const = 0;

  // Sub-groups. A mask is an integer of `size` bits, one per lane of a warp or wave; words and lanes are i32. The lanes
  // of `members` execute the operation together; they include this lane, and lanes that do not exist may be among them.
  virtual mlir::Value laneId(mlir::OpBuilder &b, mlir::Location loc, unsigned size) const = 0;
  /// Builds the mask of the lanes that execute it together.
  virtual mlir::Value activeLanes(mlir::OpBuilder &b, mlir::Location loc, unsigned size) const = 0;
  /// Builds a read of another lane's word; unspecified if `lane` is not one of `members`.
  virtual mlir::Value shuffle(mlir::OpBuilder &b, mlir::Location loc, mlir::Value members, mlir::Value word,
                              mlir::Value lane) const = 0;
  /// The same where `lane` is equal in all members.
  virtual mlir::Value broadcast(mlir::OpBuilder &b, mlir::Location loc, mlir::Value members, mlir::Value word,
                                mlir::Value lane) const {
    return shuffle(b, loc, members, word, lane);
  }
  /// Builds the mask of the members whose predicate is true.
  virtual mlir::Value ballot(mlir::OpBuilder &b, mlir::Location loc, mlir::Value members, mlir::Value predicate,
                             unsigned size) const = 0;
  /// Builds an instruction that combines the words of all members, any kind but mul; for targets that have one.
  virtual mlir::Value reduce(mlir::OpBuilder &b, mlir::Location loc, ocl::CombiningKind kind, mlir::Value members,
                             mlir::Value word) const;
  /// Builds a place where the lanes of a warp meet, if the hardware may run them apart after a divergent branch. All
  /// lanes execute it.
  virtual void converge(mlir::OpBuilder &b, mlir::Location loc) const {}
  /// Builds a barrier of the work-group that returns whether all, or any, of its predicates are true; null if the
  /// target has none.
  virtual mlir::Value voteOfGroup(mlir::OpBuilder &b, mlir::Location loc, bool all, mlir::Value predicate) const {
    return {};
  }

  /// Builds a barrier that orders accesses to the memory of `barrier` among its work-items.
  virtual void barrier(mlir::OpBuilder &b, ocl::BarrierOp barrier) const = 0;
  /// The same among the first work-items of a work-group. A barrier of more than a sub-group only on targets with
  /// ocl::TargetFeature::PartialBarriers.
  virtual void partialBarrier(mlir::OpBuilder &b, ocl::PartialBarrierOp barrier) const = 0;

  /// Builds a test whether a generic pointer points into the address space.
  virtual mlir::Value isAddrSpace(mlir::OpBuilder &b, mlir::Location loc, ocl::NamedSpace space,
                                  mlir::Value pointer) const = 0;

  /// Builds an atomic that LLVM's atomicrmw does not implement correctly and returns the old value; null for others.
  virtual mlir::Value atomic(mlir::OpBuilder &b, ocl::AtomicRmwOp op) const { return {}; }

  /// Returns true if the target's instruction treats subnormal numbers as zero.
  virtual bool flushesSubnormals(ocl::AtomicRmwOp op) const { return false; }

  /// Builds a read of a counter that all work-items of the scope share, as i64. No access is moved past it.
  virtual mlir::Value readClock(mlir::OpBuilder &b, mlir::Location loc, ocl::Scope scope) const = 0;

  /// Builds 1 / sqrt(x) with an error of at most 2 ulp, OpenCL's bound.
  virtual mlir::Value reciprocalRoot(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x) const = 0;

  /// Builds the hardware's approximate function of a single-precision number.
  virtual mlir::Value approximate(mlir::OpBuilder &b, mlir::Location loc, Approximate function,
                                  mlir::Value x) const = 0;

  /// Returns true if one instruction rounds a float in any mode and converts it to an integer.
  virtual bool hasRoundingConversion() const { return false; }
  /// Builds that conversion, for such targets. The integer has at most 32 bits; the result saturates, and NaN gives 0.
  virtual mlir::Value convertToInt(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, ocl::Rounding rounding,
                                   bool isUnsigned, mlir::Type type) const;

  /// Returns LLVM's sync scope.
  virtual llvm::StringRef syncScope(ocl::Scope scope) const = 0;

  /// Returns the SynchronizeAsAttr that limits a fence to the given memory; empty if the target has none.
  virtual llvm::StringRef fencedMemory(ocl::Fence memory) const { return {}; }

  virtual unsigned addressSpace(ocl::AddressSpace space) const = 0;
  /// Returns true if pointers of this space have 32 bits in registers. SPIR-V's layout has 64 in memory.
  virtual bool isShortPointer(ocl::AddressSpace space) const = 0;
  /// The bits of a null pointer to local memory, if LLVM's casts do not convert it to the generic null.
  virtual std::optional<int64_t> nullOfLocal() const { return std::nullopt; }
  /// Builds the generic address of local memory, for such targets. LLVM does not look through it: it would move the
  /// cast of a selected null pointer after the selection.
  virtual mlir::Value localToGeneric(mlir::OpBuilder &b, mlir::Location loc, mlir::Value pointer,
                                     mlir::Type type) const {
    return {};
  }
  /// The address space of struct parameters.
  virtual ocl::AddressSpace parameterSpace() const = 0;
  /// The argument attribute that passes a struct inline in the parameters.
  virtual llvm::StringRef inlineStructAttr() const = 0;

  /// Marks the function as an entry point for groups of `size`, or, if `isSmaller`, of at most that size in each
  /// dimension; all zero: any size. `isBlock`: a kernel may enqueue it, with a local size that the host does not check.
  virtual void markKernel(mlir::LLVM::LLVMFuncOp function, const std::array<int64_t, 3> &size, bool isSmaller,
                          bool isBlock) const = 0;
};

/// Builds LLVM's fence, or nothing if no other work-item can observe it.
void fence(mlir::OpBuilder &b, mlir::Location loc, const GpuTargetInfo &info, mlir::LLVM::AtomicOrdering order,
           ocl::Scope scope, ocl::Fence memory);

} // namespace kiln::gpu
