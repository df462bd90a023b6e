// Memory of slots: arrays with one element per work-item, for values that live across regions.
#pragma once
#include "passes/wg/GroupFunction.h"

namespace kiln {

class Slots {
public:
  /// Lays out the arrays of all slots of the function at the start of the items area.
  explicit Slots(GroupFunction &group);

  mlir::Value address(mlir::Value slot, mlir::Value item);
  /// Loads and stores a work-item's element. `independent`: the access group of the loop.
  mlir::Value load(mlir::Value slot, mlir::Value item, mlir::ArrayAttr independent = {});
  void store(mlir::Value value, mlir::Value slot, mlir::Value item, mlir::ArrayAttr independent = {});
  /// Lowers a slot access of the `wg` dialect. `item`: the work-item that executes it.
  void lower(mlir::Operation *access, mlir::Value item, mlir::ArrayAttr independent = {});

  /// Bytes per work-item.
  uint64_t itemBytes() const { return itemBytes_; }
  /// The memory after the arrays, which belongs to the thread, and the bytes that aligning the arrays may take of it.
  mlir::Value threadArea() const { return threadArea_; }
  uint64_t slack() const { return slack_; }
  /// Erases the slot operations, which must have no uses.
  void erase();

private:
  GroupFunction &group_;
  llvm::SmallVector<wg::SlotOp> slots_;
  llvm::DenseMap<mlir::Operation *, mlir::Value> bases_;
  uint64_t itemBytes_ = 0, slack_ = 0;
  mlir::Value threadArea_;
};

} // namespace kiln
