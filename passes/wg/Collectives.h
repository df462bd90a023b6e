// Lowers collectives to loops over slots, between the loops of regions.
#pragma once
#include "dialects/ocl/Ocl.h"
#include "passes/wg/Slots.h"

namespace kiln {

class Collectives {
public:
  Collectives(GroupFunction &group, Slots &slots) : group_(group), slots_(slots), builder_(group.builder) {}

  static bool isCollective(mlir::Operation *op) { return llvm::isa<wg::AnyOp, wg::ReduceOp, wg::CombineOp>(op); }
  /// Replaces the operation by loops. Returns the block after them.
  mlir::Block *lower(mlir::Operation *op);

private:
  void lower(wg::AnyOp any);
  void lower(wg::ReduceOp reduce);
  void lower(wg::CombineOp combine);

  mlir::Value loop(mlir::Value first, mlir::Value end, int64_t step, mlir::Value carried,
                   llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> body);
  mlir::Value addElement(ocl::CombiningKind kind, mlir::Value accumulated, mlir::Value slot, mlir::Value mask,
                         mlir::Value index);

  GroupFunction &group_;
  Slots &slots_;
  mlir::OpBuilder &builder_;
  mlir::Block *after_ = nullptr; // loops are inserted before it
};

} // namespace kiln
