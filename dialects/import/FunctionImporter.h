// Imports a function's blocks, phis and terminators; Instructions.h imports the other instructions.
#pragma once
#include "dialects/import/Body.h"

namespace kiln::import {

class FunctionImporter {
public:
  FunctionImporter(ModuleImporter &module, Function &function) : module_(module), function_(function) {}
  mlir::LogicalResult run();

private:
  struct SpirvBlock {
    const Instruction *label = nullptr;
    const Instruction *terminator = nullptr;
    size_t begin = 0, end = 0; // instructions between the two: code[begin, end)
    llvm::SmallVector<const Instruction *, 2> phis;
    llvm::SmallVector<uint32_t, 2> successors; // indices of blocks
    mlir::Block *block = nullptr;              // null: unreachable
    mlir::Location loc;                        // of the terminator
  };

  mlir::LogicalResult split();
  mlir::LogicalResult link(SpirvBlock &block);
  void createBlocks();
  mlir::LogicalResult phis(Body &body, SpirvBlock &block);
  mlir::LogicalResult copyByValueArguments(Body &body);
  mlir::LogicalResult terminate(Body &body, SpirvBlock &block);
  /// Copies the unroll hints of OpLoopMerge to the loops' back edges.
  void keepUnrollHints();
  mlir::LogicalResult branchSwitch(Body &body, SpirvBlock &block);
  /// Collects the values that `from` passes to the phis of its successor `to`.
  bool phiOperands(Body &body, const SpirvBlock &from, const SpirvBlock &to,
                   llvm::SmallVectorImpl<mlir::Value> &values);
  const Instruction &code(size_t index) const { return module_.binary().code[index]; }

  ModuleImporter &module_;
  Function &function_;
  std::vector<SpirvBlock> blocks_;
  IdMap<uint32_t> indexOf_;                                          // label id -> block
  llvm::DenseMap<std::pair<uint32_t, uint32_t>, uint32_t> incoming_; // phi, predecessor's label -> value id
};

} // namespace kiln::import
