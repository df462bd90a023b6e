// Accesses that are neighbours in memory, of work-items that are not: each lane reads or writes a vector of its own
// then, and a few shuffles turn rows into columns.
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/analysis/LaneShapes.h"
#include "passes/analysis/LinearAddress.h"

namespace kiln {

class AccessRuns {
public:
  struct Run {
    LinearAddress address;                         // of the first
    llvm::SmallVector<mlir::Operation *> accesses; // all loads or all stores, by address; a power of two
    mlir::Operation *place = nullptr;              // that does the work of all: the first load, or the last store
  };
  /// What a work-item reads from one pointer and writes to another at the same distance: it has to lie apart, or in the
  /// same place where that is allowed. Bytes from the two pointers on.
  struct Apart {
    mlir::Value read, written;
    int64_t readFrom, readTo, writtenFrom, writtenTo;
    bool orSame;
  };

  /// `assumes`: may pointers that all work-items share be taken to lie apart; `apart` says which were. `skipsOrder`:
  /// plants a fault, loads move above stores of the same bytes.
  AccessRuns(mlir::Region &region, const LaneShapes &shapes, const mlir::DataLayout &layout, bool assumes,
             bool skipsOrder = false);
  /// The run that an access belongs to; null: it stands alone.
  const Run *of(mlir::Operation *access) const { return runs_.lookup(access); }
  llvm::ArrayRef<Apart> apart() const { return apart_; }

private:
  class Window;

  void look(mlir::Block &block, const LaneShapes &shapes, const mlir::DataLayout &layout);

  mlir::Region &region_;
  const bool assumes_, skipsOrder_;
  llvm::SmallVector<std::unique_ptr<Run>> made_;
  llvm::DenseMap<mlir::Operation *, const Run *> runs_;
  llvm::SmallVector<Apart> apart_;
};

/// Is it of a variable that each lane has for itself.
bool isOwn(mlir::Value pointer);

/// Is it of a variable that LLVM sees the size of, so that nothing behind its end may be read, page or not.
bool isOfKnownSize(mlir::Value pointer);

/// The longest run of elements of a type: what one access of most processors reads.
unsigned longestRun(mlir::Type element, const mlir::DataLayout &layout);

} // namespace kiln
