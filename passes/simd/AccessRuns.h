// Loads that are neighbours in memory, of work-items that are not: each lane reads a vector of its own then, and a few
// shuffles turn rows into columns.
#pragma once
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "passes/analysis/LaneShapes.h"
#include "passes/simd/LinearAddress.h"

namespace kiln {

class AccessRuns {
public:
  struct Run {
    LinearAddress address;                       // of the first
    llvm::SmallVector<mlir::LLVM::LoadOp> loads; // by address; a power of two
  };

  AccessRuns(mlir::Region &region, const LaneShapes &shapes, const mlir::DataLayout &layout);
  /// The run that a load belongs to; null: it stands alone.
  const Run *of(mlir::Operation *load) const { return runs_.lookup(load); }

private:
  struct Candidate {
    mlir::LLVM::LoadOp load;
    LinearAddress address;
  };
  void look(mlir::Block &block, const LaneShapes &shapes, const mlir::DataLayout &layout);
  void close(llvm::SmallVector<Candidate> &candidates, const mlir::DataLayout &layout);

  llvm::SmallVector<std::unique_ptr<Run>> made_;
  llvm::DenseMap<mlir::Operation *, const Run *> runs_;
};

/// Is it of a variable that each lane has for itself.
bool isOwn(mlir::Value pointer);

/// The longest run of elements of a type: what one access of most processors reads.
unsigned longestRun(mlir::Type element, const mlir::DataLayout &layout);

} // namespace kiln
