// Where the values lie that live from one region to the next: a slot is an array with one element a work-item.
#pragma once
#include "passes/wg/GroupFunction.h"

namespace kiln {

/// Bytes from one work-item's element of a slot to the next one's.
uint64_t slotStride(const mlir::DataLayout &layout, mlir::Type element);

class Slots {
public:
  /// Gives all slots of the function their arrays, one behind the other at the start of the items area.
  explicit Slots(GroupFunction &group);

  mlir::Value address(mlir::Value slot, mlir::Value item);
  /// A work-item's element, and what it is set to. `independent`: of which loop's accesses this is one.
  mlir::Value load(mlir::Value slot, mlir::Value item, mlir::ArrayAttr independent = {});
  void store(mlir::Value value, mlir::Value slot, mlir::Value item, mlir::ArrayAttr independent = {});
  /// The operations of the same meaning; `item` is the work-item that they stand for.
  void lower(mlir::Operation *access, mlir::Value item, mlir::ArrayAttr independent = {});

  /// Bytes that each work-item takes.
  uint64_t itemBytes() const { return itemBytes_; }
  /// What lies behind the arrays, for one thread, and how many bytes of it the arrays' alignment may take.
  mlir::Value threadArea() const { return threadArea_; }
  uint64_t slack() const { return slack_; }
  /// When nothing uses them any more.
  void erase();

private:
  GroupFunction &group_;
  llvm::SmallVector<wg::SlotOp> slots_;
  llvm::DenseMap<mlir::Operation *, mlir::Value> bases_;
  uint64_t itemBytes_ = 0, slack_ = 0;
  mlir::Value threadArea_;
};

} // namespace kiln
