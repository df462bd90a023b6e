// The function that a kernel is lowered to: its parameters, the launch's values, and the loop over groups around the
// kernel's body.
#pragma once
#include "dialects/ocl/IntConstant.h"
#include "dialects/ocl/KernelPlan.h"
#include "dialects/wg/Wg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include <array>

namespace kiln {

using Dim3 = std::array<mlir::Value, 3>; // x, y, z

class GroupFunction {
public:
  /// Creates the function, which runs a range of groups serially (abi::CpuEntry), and moves the kernel's body into it;
  /// the kernel is empty then.
  explicit GroupFunction(mlir::func::FuncOp kernel);

  mlir::Value constant(int64_t value) { return intConstant(builder, loc, value, 64); }
  mlir::Value add(mlir::Value a, mlir::Value b) { return mlir::arith::AddIOp::create(builder, loc, a, b); }
  mlir::Value mul(mlir::Value a, mlir::Value b) { return mlir::arith::MulIOp::create(builder, loc, a, b); }
  mlir::Value isLess(mlir::Value a, mlir::Value b) {
    return mlir::arith::CmpIOp::create(builder, loc, mlir::arith::CmpIPredicate::ult, a, b);
  }
  mlir::Value isSame(mlir::Value a, mlir::Value b) {
    return mlir::arith::CmpIOp::create(builder, loc, mlir::arith::CmpIPredicate::eq, a, b);
  }
  /// The address `bytes` after a base.
  mlir::Value offset(mlir::Value base, mlir::Value bytes);
  mlir::Value offset(mlir::Value base, int64_t bytes);
  /// Rounds an area's address up. Areas are aligned to LocalAlignment.
  mlir::Value alignedUp(mlir::Value area, uint64_t alignment);
  /// The most bytes that `alignedUp` may skip.
  static uint64_t slack(uint64_t alignment);
  /// Fields of abi::CpuLaunch.
  mlir::Value launchField(size_t offset, mlir::Type type = {});
  Dim3 launchDim3(size_t offset);
  /// The number of work-items of the current group.
  mlir::Value itemCount() { return mul(mul(size[0], size[1]), size[2]); }
  /// A condition: all global ids and numbers of work-items of the launch fit 31 bits.
  mlir::Value idsFitI32();
  /// Sets the insertion point to the function's entry, which runs once.
  void enterPrologue() { builder.setInsertionPoint(entry->getTerminator()); }
  /// Sets a value of the kernel's plan; the names are in dialects/ocl/KernelPlan.h.
  void setPlan(llvm::StringRef name, uint64_t value);

  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::DataLayout layout;
  const llvm::ArrayRef<int64_t> fixedSize; // the local size of every group; empty: known at run time
  const int64_t subGroupSize;              // of all but the last of a group
  mlir::LLVM::LLVMFuncOp function;
  mlir::Block *entry = nullptr;
  mlir::Type i64;

  mlir::Value local, items;                            // the group's local memory, and the area of its work-items
  Dim3 globalSize, globalOffset, localSize, numGroups; // of the launch
  mlir::Value workDim;
  Dim3 id, start, size; // of the current group; `start` is the global id of its first work-item

private:
  void makeEntry(mlir::func::FuncOp kernel);
  void loadArguments(mlir::func::FuncOp kernel);
  void placeLocalVariables(mlir::func::FuncOp kernel);
  void makeGroupLoop(mlir::func::FuncOp kernel);

  mlir::Value arguments_, launch_, first_, end_, idsFitI32_;
};

} // namespace kiln
