// The function that a kernel becomes, as the parts of LowerParallel write it: its parameters, what it knows of the
// launch, and the loop over groups around the kernel's body.
#pragma once
#include "dialects/wg/Wg.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include <array>

namespace kiln {

using Triple = std::array<mlir::Value, 3>; // x, y, z

class GroupFunction {
public:
  /// Makes the function, which runs the groups of a range one after the other (abi::CpuEntry), and moves the kernel's
  /// body into it. The kernel is left empty. `fixedSize`: three local sizes that every group has; empty: any.
  GroupFunction(mlir::func::FuncOp kernel, llvm::ArrayRef<int64_t> fixedSize, llvm::StringRef suffix);

  mlir::Value constant(int64_t value) { return mlir::arith::ConstantIntOp::create(builder, loc, value, 64); }
  mlir::Value add(mlir::Value a, mlir::Value b) { return mlir::arith::AddIOp::create(builder, loc, a, b); }
  mlir::Value mul(mlir::Value a, mlir::Value b) { return mlir::arith::MulIOp::create(builder, loc, a, b); }
  mlir::Value isLess(mlir::Value a, mlir::Value b) {
    return mlir::arith::CmpIOp::create(builder, loc, mlir::arith::CmpIPredicate::ult, a, b);
  }
  mlir::Value isSame(mlir::Value a, mlir::Value b) {
    return mlir::arith::CmpIOp::create(builder, loc, mlir::arith::CmpIPredicate::eq, a, b);
  }
  /// Addresses, in bytes from a base.
  mlir::Value offset(mlir::Value base, mlir::Value bytes);
  mlir::Value offset(mlir::Value base, int64_t bytes);
  /// The first address from `area` on that is a multiple; areas are multiples of LocalAlignment themselves.
  mlir::Value alignedUp(mlir::Value area, uint64_t alignment);
  /// How far that may be.
  static uint64_t slack(uint64_t alignment);
  /// Fields of abi::LaunchInfo.
  mlir::Value launchField(size_t offset, mlir::Type type = {});
  Triple launchTriple(size_t offset);
  /// How many work-items the current group has.
  mlir::Value itemCount() { return mul(mul(size[0], size[1]), size[2]); }
  /// Code for: no global id, and no number of work-items, of the launch needs more than 31 bits.
  mlir::Value hasSmallIds();
  /// Code that is built from here on belongs to the launch, and runs once.
  void enterPrologue() { builder.setInsertionPoint(entry->getTerminator()); }
  /// Leaves a number for the kernel's plan.
  void setPlan(llvm::StringRef name, uint64_t value);

  mlir::OpBuilder builder;
  mlir::Location loc;
  mlir::DataLayout layout;
  const llvm::ArrayRef<int64_t> fixedSize;
  const int64_t subGroupSize; // of all but the last of a group
  mlir::LLVM::LLVMFuncOp function;
  mlir::Block *entry = nullptr;
  mlir::Type i64;

  mlir::Value local, items;                              // the group's local memory, and the area of its work-items
  Triple globalSize, globalOffset, localSize, numGroups; // of the launch
  mlir::Value workDim;
  Triple id, start, size; // of the current group; `start` is the global id of its first work-item

private:
  void makeEntry(llvm::StringRef name, llvm::StringRef suffix);
  void loadArguments(mlir::func::FuncOp kernel);
  void placeLocalVariables(mlir::func::FuncOp kernel);
  void makeGroupLoop(mlir::func::FuncOp kernel);

  mlir::Value arguments_, launch_, first_, end_, smallIds_;
};

} // namespace kiln
