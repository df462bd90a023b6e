// Reads of local memory that cannot be part of a race.
//
//   tile[l] = ...
//   barrier(CLK_LOCAL_MEM_FENCE)       <- the stretch of code from here
//   for (k ...)
//     sum += tile[k]                      reads `tile`
//   barrier(CLK_LOCAL_MEM_FENCE)       <- to here writes nothing to `tile`
//
// Legal because all work-items of the group execute both barriers (OpenCL C 3.0, 6.15.8), which order the read with all
// accesses before and after. Other groups have their own local memory.
#pragma once
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/analysis/ObjectOf.h"
#include "passes/ocl/PointerAccesses.h"
#include "llvm/ADT/DenseMap.h"

namespace kiln {

class ReadOnlyStretches {
public:
  /// `accesses`: all accesses of the kernel to memory that work-items share.
  ReadOnlyStretches(mlir::func::FuncOp kernel, llvm::ArrayRef<PointerAccess> accesses);
  /// Returns true if the access only reads a local variable or argument that nothing writes between the barriers of
  /// local memory before and after it.
  bool contain(const PointerAccess &access);

private:
  /// Operations of one block without a barrier between them.
  struct Stretch {
    bool beginsAtBarrier = false, endsAtBarrier = false; // or where the kernel begins and ends
    llvm::SmallVector<Object> written;                   // local memory
  };
  Stretch &stretchOf(mlir::Operation *op);
  void divide(mlir::Block &block);

  mlir::func::FuncOp kernel_;
  const mlir::DataLayout layout_;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Object>> written_; // local memory, by each operation around it
  llvm::DenseMap<mlir::Operation *, size_t> numbers_;                    // of an operation's stretch
  std::vector<Stretch> stretches_;
};

} // namespace kiln
