#include "passes/simd/prepare/UnrollPrivateArrayLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "passes/analysis/Size.h"
#include "passes/ocl/ConstantTable.h"
#include "passes/ocl/LoopCounter.h"
#include "passes/ocl/UnrollWhile.h"
#include "passes/simd/decide/AccessGroups.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace kiln {
namespace {

constexpr unsigned MaxOperations = 600;

// Returns true if the address of a private variable depends on the counter, perhaps by an element of a constant array.
bool indexesVariables(scf::WhileOp loop, BlockArgument counter, const DataLayout &layout) {
  llvm::SmallVector<Value> work{counter};
  llvm::DenseSet<Value> seen;
  for (auto [value, argument] : llvm::zip(loop.getConditionOp().getArgs(), loop.getAfterArguments()))
    if (value == counter)
      work.push_back(argument);
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (Operation *user : value.getUsers()) {
      if (!loop->isProperAncestor(user))
        continue;
      if (auto gep = dyn_cast<LLVM::GEPOp>(user)) {
        if (isPrivateAlloca(gep))
          return true;
        work.push_back(gep);
      } else if (auto load = dyn_cast<LLVM::LoadOp>(user)) {
        if (constantTableOf(load, layout)) // LLVM folds it when the index is a constant
          work.push_back(load);
      } else if (isa<arith::ArithDialect>(user->getDialect())) {
        llvm::append_range(work, user->getResults());
      }
    }
  }
  return false;
}

} // namespace

void unrollPrivateArrayLoops(Region &body) {
  const DataLayout layout = DataLayout::closest(body.getParentOp());
  unsigned grown = 0;
  SmallVector<scf::WhileOp> loops; // inner ones first
  body.walk([&](scf::WhileOp loop) { loops.push_back(loop); });
  for (scf::WhileOp loop : loops) {
    auto counter = loopCounter(loop);
    if (!counter || !indexesVariables(loop, counter->number, layout))
      continue;
    const unsigned size = operationsIn(loop) * counter->iterations;
    if (size + grown > MaxOperations)
      continue;
    grown += size;
    unrollWhile(loop, counter->iterations);
  }
}

} // namespace kiln
